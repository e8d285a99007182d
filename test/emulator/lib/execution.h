// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction's handler works with: the lanes of one warp.
#ifndef HK_EMULATOR_EXECUTION_H
#define HK_EMULATOR_EXECUTION_H

#include "machine.h"

#include <cstring>

namespace hk::emulator {

/// Generic addresses of shared and local memory begin here.
constexpr uint64_t kSharedWindow = uint64_t(1) << 48;
constexpr uint64_t kLocalWindow = uint64_t(2) << 48;
/// A shared::cluster address: (rank + 1) << 24 | offset. Without a rank, the
/// thread's own CTA.
constexpr unsigned kRankShift = 24;

/// Bytes that an address names.
struct Place {
  Bytes *bytes = nullptr;
  size_t offset = 0;
  Cta *cta = nullptr; ///< of shared memory
  bool isGlobal = false;

  uint8_t *data() const { return bytes->data.data() + offset; }
};

inline unsigned firstLane(uint32_t mask) {
  return static_cast<unsigned>(__builtin_ctz(mask));
}

class Execution {
public:
  Execution(Launch &launch, Cluster &cluster)
      : launch(launch), cluster(cluster) {}

  // Scheduling. run() takes up to `slice` instructions of a warp and says
  // whether it took any.
  bool run(Warp &warp, uint32_t slice);
  /// Lanes of `mask` go to `target`, the others of the group go on.
  void branch(uint32_t mask, uint32_t target);
  /// Lanes of `mask` stop here, to run the instruction again (or to be moved
  /// past it by whoever wakes them).
  void block(uint32_t mask, Lane state);
  void exit(uint32_t mask);
  /// Lets the other warps run after this instruction.
  void yield() { yielded = true; }
  /// True when all lanes of `members` are here; they run as `mask`, which then
  /// holds them all. Otherwise the lanes of `mask` wait.
  bool converge(uint32_t &mask, uint32_t members);
  /// Moves waiting lanes past their instruction, or back to it.
  static void wake(Warp &warp, uint32_t mask, Lane from, bool again);

  // Registers.
  const uint64_t *read(const Source &source, uint32_t mask) {
    if (source.isConstant)
      return launch.constants.data() + size_t(source.index) * kWarpSize;
    if (mask & ~warp->valid[source.index])
      invalidRegister(source.index, mask);
    return warp->registers.data() + size_t(source.index) * kWarpSize;
  }
  uint64_t *write(uint32_t reg, uint32_t mask) {
    if (warp->inFlight[reg])
      inFlightRegister(reg, mask);
    warp->valid[reg] |= mask;
    warp->unfenced[reg] = 1;
    return warp->registers.data() + size_t(reg) * kWarpSize;
  }
  uint64_t *raw(uint32_t reg) {
    return warp->registers.data() + size_t(reg) * kWarpSize;
  }

  // Memory. `size` is at most 16 bytes, and is the alignment too.
  Place place(Space space, uint64_t address, uint32_t size, uint32_t alignment,
              unsigned lane);
  /// A byte range in shared memory, of this CTA or another of the cluster.
  Place shared(uint64_t address, uint32_t size, uint32_t alignment,
               unsigned lane, const char *what);
  void load(const Place &from, uint32_t size, void *to, unsigned lane,
            bool ordered = true);
  void store(const Place &to, uint32_t size, const void *from, unsigned lane,
             bool ordered = true);
  /// Faults where a byte was not written or is in flight.
  void expectValid(const Place &from, uint32_t size, unsigned lane);
  void expectWritable(const Place &to, uint32_t size, unsigned lane);
  /// Of global memory: faults where kernels in front may still read it.
  void noteGlobalWrite(const Place &to, uint32_t size, unsigned lane);

  // Race detection: nothing happens when it is off.
  bool races() const { return launch.options.races; }
  void noteRead(const Place &from, uint32_t size, unsigned lane);
  void noteWrite(const Place &to, uint32_t size, unsigned lane);
  /// What this warp did becomes visible to who joins `to` later.
  void release(Clocks &to);
  void acquire(const Clocks &from);

  [[noreturn]] void fault(uint32_t mask, const std::string &message) const;

  Launch &launch;
  Cluster &cluster;
  Warp *warp = nullptr;
  const Instruction *instruction = nullptr;
  /// The lanes that run together, a superset of a handler's mask.
  uint32_t group = 0;

private:
  /// The lanes of `mask` for which kernels in front may not have ended.
  uint32_t early(uint32_t mask) const {
    return launch.config.programmatic ? mask & ~warp->gridWaited : 0;
  }
  [[noreturn]] void invalidRegister(uint32_t reg, uint32_t mask);
  [[noreturn]] void inFlightRegister(uint32_t reg, uint32_t mask);
  void regroup();
  /// Writes the group's place to its lanes.
  void flush(uint32_t next);

  uint32_t pc = 0;
  uint32_t next = 0;
  bool diverged = false, yielded = false;
  Allocation *lastGlobal = nullptr;
};

/// Runs `f(lane)` for the lanes of `mask`.
template <typename F> void eachLane(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(firstLane(mask));
}

std::string describeThread(const Warp &warp, unsigned lane,
                           const LaunchConfig &config);

} // namespace hk::emulator

#endif // HK_EMULATOR_EXECUTION_H
