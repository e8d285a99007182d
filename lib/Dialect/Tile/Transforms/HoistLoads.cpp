// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What products read of memory is on its way before it is waited for.

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Pressure.h"
#include "hk/Transforms/Remarks.h"

#include <deque>

namespace hk::tile {
#define GEN_PASS_DEF_TILEHOISTLOADS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// Whether a product reads `value`, or a part of it, as A.
static bool isFactor(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto mma = dyn_cast<MmaOp>(user))
      return mma.getA() == value;
    auto slice = dyn_cast<SliceOp>(user);
    return slice && isFactor(slice.getResult());
  });
}

/// The last operation of `block` that reads `value` or a part of it.
static Operation *findLastUse(Value value, Block &block) {
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers()) {
    Operation *use = block.findAncestorOpInBlock(*user);
    if (auto slice = dyn_cast<SliceOp>(user); slice && use == user)
      use = findLastUse(slice.getResult(), block);
    if (use && last->isBeforeInBlock(use))
      last = use;
  }
  return last;
}

namespace {

/// The loads of a block in front of one that may go up.
class Loaded {
public:
  Loaded(Block &block, int64_t most) : block(block), most(most) {}

  /// Nothing goes up beyond this place.
  void clear() {
    alive.clear();
    registers = 0;
    last = nullptr;
  }

  /// The loads that went up.
  int64_t getMoved() const { return moved; }

  /// Moves `load` up, as far as registers and operands let it.
  void hoist(LoadOp load) {
    int64_t more = getRegisters(load.getResult());
    Operation *place = last;
    auto moveTo = [&](Operation *op) {
      if (!place || place->isBeforeInBlock(op))
        place = op;
    };
    while (!alive.empty() && registers + more > most) {
      moveTo(findLastUse(alive.front().getResult(), block));
      registers -= getRegisters(alive.front().getResult());
      alive.pop_front();
    }
    if (place) {
      for (Value operand : load->getOperands())
        if (Operation *op = operand.getDefiningOp();
            op && op->getBlock() == &block)
          moveTo(op);
      if (place->isBeforeInBlock(load) && place != load->getPrevNode()) {
        load->moveAfter(place);
        ++moved;
      }
    }
    alive.push_back(load);
    registers += more;
    last = load;
  }

private:
  Block &block;
  int64_t most;
  /// Those that are not used yet, the oldest first, and their registers.
  std::deque<LoadOp> alive;
  int64_t registers = 0;
  Operation *last = nullptr;
  int64_t moved = 0;
};

class HoistLoadsPass
    : public hk::tile::impl::TileHoistLoadsBase<HoistLoadsPass> {
  using TileHoistLoadsBase::TileHoistLoadsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t moved = 0;
    kernel.walk([&](Block *block) {
      Loaded loaded(*block, registers);
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (isa<StoreOp>(op) || (op.getNumRegions() > 0 && !isa<MapOp>(op)))
          loaded.clear();
        else if (auto load = dyn_cast<LoadOp>(op);
                 load && isFactor(load.getResult()))
          loaded.hoist(load);
      }
      moved += loaded.getMoved();
    });
    if (moved > 0)
      PassRemarks(getArgument(), kernel)
          .passed(kernel.getLoc(), "Hoisted",
                  std::to_string(moved) +
                      " loads in front of the products before theirs");
  }
};

} // namespace
