// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Uses.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEPLACEWAITS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk::tile;

/// Moves the waits of a block down, last ones first.
static void sinkWaits(Block &block) {
  Operation *limit = block.getTerminator();
  SmallVector<WaitOp> waits;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait) {
      if (op.getNumRegions() != 0 && contains<WaitOp>(&op))
        limit = &op;
      continue;
    }
    // A slot without uses stays before its release.
    if (Operation *to = getFirstUser(wait.getResult()))
      wait->moveBefore(limit->isBeforeInBlock(to) ? limit : to);
    limit = wait;
  }
}

/// True if threads copy into the slot and wgmma reads it, which a fence has to
/// come between.
static bool needsFence(WaitOp wait) {
  auto chan = wait.getChan().getDefiningOp<ChanOp>();
  return chan && chan.getTransport() == Transport::Async &&
         llvm::any_of(wait.getResult().getUsers(), [](Operation *user) {
           auto mma = dyn_cast<MmaOp>(user);
           return mma && mma.getWarpgroup();
         });
}

/// Moves waits that need a fence up to the one before, so that one fence does:
/// it costs more than to hold the slot for longer.
static void groupWaits(Block &block) {
  WaitOp first;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait) {
      if (op.getNumRegions() != 0 && contains<WaitOp, ReleaseOp>(&op))
        first = {};
      continue;
    }
    if (!needsFence(wait)) {
      first = {}; // Waits of all channels keep their order.
      continue;
    }
    if (first && first.getChan() == wait.getChan()) {
      wait->moveAfter(first);
      first = {}; // Two at a time: more would empty the ring.
      continue;
    }
    first = wait;
  }
}

/// Moves the releases of a block up to the last use of the slot.
static void hoistReleases(Block &block) {
  // The slots of each channel that are waited for and not yet released.
  llvm::DenseMap<Value, SmallVector<WaitOp>> held;
  llvm::DenseMap<Value, Operation *> lastRelease;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      held[wait.getChan()].push_back(wait);
      continue;
    }
    auto release = dyn_cast<ReleaseOp>(op);
    if (!release)
      continue;
    SmallVector<WaitOp> &slots = held[release.getChan()];
    if (slots.empty())
      continue; // Of a slot from another block.
    WaitOp wait = slots.front();
    slots.erase(slots.begin());
    Operation *after = getLastUser(wait.getResult());
    if (!after)
      after = wait;
    Operation *&last = lastRelease[release.getChan()];
    if (last && after->isBeforeInBlock(last))
      after = last;
    release->moveAfter(after);
    last = release;
  }
}

namespace {
class PlaceWaitsPass
    : public hk::tile::impl::TilePlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      sinkWaits(*block);
      groupWaits(*block);
      hoistReleases(*block);
    });
  }
};
} // namespace
