// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warps do while their warpgroup multiplies: they wait for slots.

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Uses.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEOVERLAPWAITS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

static bool isOfWarpgroup(Operation &op) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getWarpgroup();
}

/// Whether no wait moves up over `op`.
static bool isLimit(Operation &op) {
  return isOfWarpgroup(op) || isa<SyncOp, GridWaitOp>(op) ||
         (op.getNumRegions() != 0 &&
          contains<WaitOp, ReleaseOp, SyncOp, MmaOp>(&op));
}

/// The wait that may move up to behind `mma`, or null.
static WaitOp findNextWait(MmaOp mma) {
  for (Operation *op = mma->getNextNode(); op; op = op->getNextNode()) {
    if (auto wait = dyn_cast<WaitOp>(op))
      return wait;
    if (isLimit(*op))
      break;
  }
  return {};
}

/// The wait that a trip of the loop around `mma` begins with, where `mma` is
/// its last product and nothing behind it waits; or null.
static WaitOp findNextTripsWait(MmaOp mma) {
  auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
  if (!loop || loop.getStaticTripCount() == APInt(64, 1))
    return {};
  for (Operation *op = mma->getNextNode(); op; op = op->getNextNode())
    if (isLimit(*op) || isa<WaitOp, AwaitOp>(op))
      return {};
  for (Operation &op : *mma->getBlock()) {
    if (auto wait = dyn_cast<WaitOp>(op))
      return wait->isBeforeInBlock(mma) ? wait : WaitOp();
    if (op.getNumRegions() != 0 && contains<WaitOp, ReleaseOp>(&op))
      break;
  }
  return {};
}

/// Whether, behind `mma`, the channel of `wait` has a slot that is not held,
/// and one more for the copies.
static bool hasSlots(WaitOp wait, MmaOp mma) {
  int64_t held = 0;
  for (Operation &op : *mma->getBlock()) {
    if (&op == mma)
      break;
    if (auto other = dyn_cast<WaitOp>(op))
      held += other.getChan() == wait.getChan();
    else if (auto release = dyn_cast<ReleaseOp>(op))
      held -= release.getChan() == wait.getChan();
  }
  return held + 2 <= wait.getChan().getType().getSlots();
}

/// Ends `mma` behind `last`, which runs meanwhile.
static void settle(MmaOp mma, Operation *last) {
  mma.setAsync(true);
  OpBuilder builder(mma.getContext());
  builder.setInsertionPointAfter(last);
  auto settled = SettleOp::create(builder, mma.getLoc(), mma.getType(),
                                  mma.getResult());
  mma.getResult().replaceAllUsesExcept(settled.getResult(), settled);
}

namespace {
class OverlapWaitsPass
    : public hk::tile::impl::TileOverlapWaitsBase<OverlapWaitsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t moved = 0, ahead = 0;
    kernel.walk([&](MmaOp mma) {
      if (!mma.getWarpgroup() || mma.getAsync())
        return;
      if (WaitOp wait = findNextWait(mma)) {
        if (!hasSlots(wait, mma))
          return;
        wait->moveAfter(mma);
        settle(mma, wait);
        ++moved;
        return;
      }
      WaitOp wait = findNextTripsWait(mma);
      if (!wait || !hasSlots(wait, mma))
        return;
      OpBuilder builder(mma.getContext());
      builder.setInsertionPointAfter(mma);
      auto await = AwaitOp::create(builder, wait.getLoc(), wait.getChan());
      wait.setAhead(true);
      settle(mma, await);
      ++ahead;
    });
    if (moved + ahead > 0)
      PassRemarks(getArgument(), kernel)
          .passed(kernel.getLoc(), "Overlap",
                  Twine(moved) + " waits during products, and " + Twine(ahead) +
                      " for the next trip of a loop");
  }
};
} // namespace
