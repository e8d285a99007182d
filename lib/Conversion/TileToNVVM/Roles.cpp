// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of warps: role.

#include "Patterns.h"

using namespace mlir;
using namespace hk;

void hk::populateRolePatterns(const TileTypeConverter &, RewritePatternSet &,
                              KernelInfo &) {}
