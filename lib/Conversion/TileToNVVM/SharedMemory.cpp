// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers in shared memory: fetch, put, alloc, sync.

#include "Patterns.h"

using namespace mlir;
using namespace hk;

void hk::populateSharedMemoryPatterns(const TileTypeConverter &, RewritePatternSet &,
                              KernelInfo &) {}
