// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_memory.h"

#include <algorithm>
#include <cstring>

namespace hk::emulator {
namespace {

constexpr uint8_t kPoisonByte = 0xCB;
// cudaMalloc's alignment is at least 256.
constexpr uint64_t kGranule = 512;
// Far enough that a small overrun meets no other allocation.
constexpr uint64_t kGap = 64 << 10;

} // namespace

void Bytes::mark(size_t offset, size_t count, Shadow state) {
  std::memset(shadow.data() + offset, static_cast<int>(state), count);
}

size_t Bytes::firstNotValid(size_t offset, size_t count) const {
  for (size_t i = 0; i < count; ++i)
    if (shadow[offset + i] != static_cast<uint8_t>(Shadow::Valid))
      return i;
  return count;
}

void Bytes::markRecent(size_t offset, size_t count) {
  if (recent.empty())
    recent.resize(size());
  std::memset(recent.data() + offset, 1, count);
}

bool Bytes::isRecent(size_t offset, size_t count) const {
  return !recent.empty() && count != 0 &&
         std::memchr(recent.data() + offset, 1, count);
}

uint64_t Memory::allocate(size_t size, std::string name) {
  std::lock_guard<std::mutex> lock(mutex);
  if (size == 0 || size > capacity - used)
    return 0;
  const uint64_t base = next;
  auto allocation = std::make_unique<Allocation>(base, size, std::move(name));
  std::fill(allocation->bytes.data.begin(), allocation->bytes.data.end(),
            kPoisonByte);
  allocations.emplace(base, std::move(allocation));
  next += (size + kGranule - 1) / kGranule * kGranule + kGap;
  used += size;
  return base;
}

bool Memory::free(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end())
    return false;
  used -= found->second->bytes.size();
  allocations.erase(found);
  return true;
}

Allocation *Memory::find(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation *allocation = std::prev(after)->second.get();
  return address - allocation->base <= allocation->bytes.size() ? allocation
                                                                : nullptr;
}

void Memory::settle() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[address, allocation] : allocations)
    allocation->bytes.recent.clear();
}

Allocation *Memory::locate(uint64_t address, size_t size) {
  Allocation *allocation = find(address);
  if (!allocation || size > allocation->bytes.size() ||
      address - allocation->base > allocation->bytes.size() - size)
    return nullptr;
  return allocation;
}

bool Memory::write(uint64_t address, const void *source, size_t size) {
  Allocation *allocation = locate(address, size);
  if (!allocation)
    return false;
  const size_t offset = address - allocation->base;
  std::memcpy(allocation->bytes.data.data() + offset, source, size);
  allocation->bytes.mark(offset, size, Shadow::Valid);
  return true;
}

bool Memory::read(uint64_t address, void *target, size_t size) {
  Allocation *allocation = locate(address, size);
  if (!allocation)
    return false;
  std::memcpy(target,
              allocation->bytes.data.data() + (address - allocation->base),
              size);
  return true;
}

} // namespace hk::emulator
