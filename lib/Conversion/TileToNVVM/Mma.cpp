// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: mma.

#include "Patterns.h"

using namespace mlir;
using namespace hk;

void hk::populateMmaPatterns(const TileTypeConverter &, RewritePatternSet &,
                              KernelInfo &) {}
