// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels: chan, acquire, copy, commit, wait, release.

#include "Patterns.h"

using namespace mlir;
using namespace hk;

void hk::populateChannelPatterns(const TileTypeConverter &, RewritePatternSet &,
                              KernelInfo &) {}
