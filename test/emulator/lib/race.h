// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds accesses of different warps to the same shared memory that nothing
// orders, with vector clocks: one component a warp of the cluster, and one for
// the agent that does bulk copies.
#ifndef HK_EMULATOR_RACE_H
#define HK_EMULATOR_RACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace hk::emulator {

/// What a warp, or a barrier, knows of the others' progress. Empty when races
/// are not looked for.
struct Clocks {
  std::vector<uint32_t> seen;   ///< accesses known to have happened
  std::vector<uint32_t> fenced; ///< writes visible to the async proxy too

  void reset(size_t slots);
  void join(const Clocks &other);
  void clear();
};

class RaceDetector {
public:
  RaceDetector(size_t bytes, size_t slots);

  /// Each returns an empty string, or what is wrong. `line` is the accessing
  /// instruction's.
  std::string read(uint32_t offset, uint32_t size, uint32_t slot,
                   const Clocks &clocks, unsigned line);
  std::string write(uint32_t offset, uint32_t size, uint32_t slot,
                    const Clocks &clocks, unsigned line);
  /// By the async proxy for `slot`: also needs a proxy fence after writes.
  std::string asyncRead(uint32_t offset, uint32_t size, uint32_t slot,
                        const Clocks &clocks, unsigned line);

private:
  static constexpr uint16_t kNobody = 0xffff, kMany = 0xfffe;
  // fp16 elements of different warps may lie side by side.
  static constexpr uint32_t kCell = 2;

  struct Cell {
    uint32_t writeClock = 0, readClock = 0;
    uint32_t writeLine = 0, readLine = 0;
    uint16_t writer = kNobody, reader = kNobody;
    uint32_t many = 0; ///< row of `readers` when reader is kMany
  };
  void noteRead(Cell &cell, uint32_t slot, uint32_t clock, unsigned line);
  std::string who(uint32_t slot, unsigned line) const;

  size_t slots;
  std::vector<Cell> cells;
  std::vector<std::vector<uint32_t>> readers;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_RACE_H
