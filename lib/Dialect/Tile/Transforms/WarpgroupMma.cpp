// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Uniformity.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEWARPGROUPMMA
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The warps of a warpgroup.
static constexpr int64_t kWarps = 4;

/// Why the units of a warpgroup cannot multiply together, or an empty string.
static std::string findObstacle(MmaOp mma) {
  if (Operation *varying = findVarying(getControl(mma), kWarps))
    return "expects bounds and conditions that are the same for a warpgroup, "
           "but got what depends on " +
           varying->getName().getStringRef().str();
  if (Operation *varying = findVarying(mma.getRow(), kWarps))
    return "expects a row of B that is the same for a warpgroup, but got what "
           "depends on " +
           varying->getName().getStringRef().str();
  return mma.whyNotWarpgroup();
}

namespace {
class WarpgroupMmaPass
    : public hk::tile::impl::TileWarpgroupMmaBase<WarpgroupMmaPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto kind = kernel->getAttrOfType<StringAttr>("hk.mma");
    if (!kind || kind.getValue() != "wgmma")
      return;
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    if (!arch->hasWarpgroups) {
      kernel.emitOpError() << "expects sm_90a for hk.mma = \"wgmma\", but got "
                           << arch->name;
      return signalPassFailure();
    }
    PassRemarks remarks(getArgument(), kernel);
    int64_t count = 0;
    kernel.walk([&](MmaOp mma) {
      std::string why = findObstacle(mma);
      if (!why.empty()) {
        remarks.missed(mma.getLoc(), "Warp", why);
        return;
      }
      mma.setWarpgroup(true);
      ++count;
    });
    if (count > 0)
      remarks.passed(kernel.getLoc(), "Warpgroup",
                     Twine(count) + " products of a warpgroup");
  }
};
} // namespace
