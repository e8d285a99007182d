// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places buffers with known lifetimes in one workspace.

#ifndef HK_ANALYSIS_MEMORYPLAN_H
#define HK_ANALYSIS_MEMORYPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace hk {

/// A buffer that is written by step `begin` and read last by step `end`
/// (`begin` itself if nobody reads it).
struct BufferLifetime {
  int64_t bytes;
  unsigned begin;
  unsigned end;
};

/// Where each buffer lies, in bytes from the start of the workspace.
struct MemoryPlan {
  llvm::SmallVector<int64_t> offsets;
  /// The size of the workspace in bytes.
  int64_t size = 0;
};

/// Places `buffers`. Sizes and offsets are rounded up to multiples of
/// `alignment`, a power of two. Two buffers share bytes only if one is dead
/// before the step that writes the other: a step never reads and writes the
/// same bytes, because its workgroups run in any order.
///
/// Greedy by size: the largest buffer first, each at the lowest offset that is
/// free during its lifetime. Deterministic; O(n^2 log n).
MemoryPlan planMemory(llvm::ArrayRef<BufferLifetime> buffers,
                      int64_t alignment);

} // namespace hk

#endif // HK_ANALYSIS_MEMORYPLAN_H
