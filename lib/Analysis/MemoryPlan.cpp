// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace hk;

MemoryPlan hk::planMemory(llvm::ArrayRef<BufferLifetime> buffers,
                          int64_t alignment) {
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  auto sizeOf = [&](size_t i) {
    return static_cast<int64_t>(llvm::alignTo(buffers[i].bytes, alignment));
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, buffers.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return sizeOf(a) != sizeOf(b) ? sizeOf(a) > sizeOf(b) : a < b;
  });

  llvm::SmallVector<size_t> placed;
  for (size_t i : order) {
    // What is alive at the same time, from low to high.
    llvm::SmallVector<std::pair<int64_t, int64_t>> taken;
    for (size_t j : placed)
      if (buffers[j].begin <= buffers[i].end &&
          buffers[i].begin <= buffers[j].end)
        taken.emplace_back(plan.offsets[j], plan.offsets[j] + sizeOf(j));
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (offset + sizeOf(i) <= begin)
        break;
      offset = std::max(offset, end);
    }
    plan.offsets[i] = offset;
    plan.size = std::max(plan.size, offset + sizeOf(i));
    placed.push_back(i);
  }
  return plan;
}
