// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes with a shadow: whether each byte was ever written, and whether an
// asynchronous copy is on its way to it. Global memory is a set of such
// allocations at made-up addresses with unmapped space between them.
#ifndef HK_EMULATOR_DEVICE_MEMORY_H
#define HK_EMULATOR_DEVICE_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hk::emulator {

/// State of one byte.
enum class Shadow : uint8_t {
  Poison,  ///< never written
  Valid,   ///< written
  Pending, ///< destination of a copy that nobody waited for
  Barrier, ///< part of an mbarrier object
};

/// A block of bytes and their shadow.
struct Bytes {
  explicit Bytes(size_t size)
      : data(size), shadow(size, static_cast<uint8_t>(Shadow::Poison)) {}

  size_t size() const { return data.size(); }
  void mark(size_t offset, size_t count, Shadow state);
  /// Index of the first byte in [offset, offset + count) that is not Valid, or
  /// `count` relative to offset.
  size_t firstNotValid(size_t offset, size_t count) const;
  Shadow at(size_t offset) const { return static_cast<Shadow>(shadow[offset]); }
  /// Kernels that may not have ended write these bytes.
  void markRecent(size_t offset, size_t count);
  bool isRecent(size_t offset, size_t count) const;

  std::vector<uint8_t> data;
  std::vector<uint8_t> shadow;
  std::vector<uint8_t> recent; ///< empty where no byte is
};

struct Allocation {
  Allocation(uint64_t base, size_t size, std::string name)
      : base(base), bytes(size), name(std::move(name)) {}

  uint64_t base;
  Bytes bytes;
  std::string name; ///< for messages
  bool readOnly = false;
};

/// Global memory of the emulated device. Allocation and copies may come from
/// several threads; kernels run one at a time.
class Memory {
public:
  /// 0 when the emulated device's `capacity` is exhausted.
  uint64_t allocate(size_t size, std::string name = "allocation");
  /// False for an address that no allocation begins at.
  bool free(uint64_t address);
  /// The allocation with `address` inside or one past its end, or null.
  Allocation *find(uint64_t address);
  /// False where the range is not in one allocation. Written bytes are valid;
  /// `read` gives poisoned bytes as they lie (0xCB).
  bool write(uint64_t address, const void *source, size_t size);
  bool read(uint64_t address, void *target, size_t size);
  /// All kernels have ended: nothing is recent.
  void settle();

  /// Bytes that may be allocated in total.
  size_t capacity = size_t(4) << 30;

private:
  Allocation *locate(uint64_t address, size_t size);

  std::mutex mutex;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  uint64_t next = 0x700000000000;
  size_t used = 0;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_DEVICE_MEMORY_H
