// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Biases are on their way while the product that they are added to is computed.

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Pressure.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEHOISTVECTORS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// Whether `load` gives one row to all rows, from memory that nobody writes.
static bool isVector(LoadOp load) {
  return load.getType().getRows() == 1 && load.getType().getColumns() != 1 &&
         load->getParentOfType<KernelOp>().isConstant(load.getSource());
}

/// What computes `value` in `block`, or null.
static Operation *getProducer(Value value, Block *block) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return op && op->getBlock() == block ? op : nullptr;
}

/// The product in front of `load` with nothing but what goes on after it in
/// between, or null.
static MmaOp findProduct(LoadOp load) {
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto mma = dyn_cast<MmaOp>(op))
      return mma;
    if (op->getNumRegions() > 0 && !isa<MapOp>(op))
      return {};
  }
  return {};
}

/// The first operation of a product: its first step over K, or the copy of what
/// that multiplies with.
static Operation *findBegin(MmaOp mma) {
  Block *block = mma->getBlock();
  while (auto before = dyn_cast_or_null<MmaOp>(getProducer(mma.getC(), block)))
    mma = before;
  Operation *stage = getProducer(mma.getB(), block);
  return isa_and_nonnull<StageOp>(stage) ? stage : mma.getOperation();
}

namespace {
class HoistVectorsPass
    : public hk::tile::impl::TileHoistVectorsBase<HoistVectorsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();
    limit = getRegisterLimit(*arch, kernel, kProducers);
    visitPressure(
        kernel.getBody().front(), kRegisterOverhead,
        [&](Operation *op, int64_t needed) { registers[op] = needed; });
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) {
      if (isVector(load))
        loads.push_back(load);
    });
    int64_t moved = 0;
    for (LoadOp load : loads)
      if (MmaOp mma = findProduct(load))
        moved += hoist(load, findBegin(mma));
    registers.clear();
    if (moved > 0)
      PassRemarks(getArgument(), kernel)
          .passed(kernel.getLoc(), "Hoisted",
                  Twine(moved) + " loads in front of the products that they "
                                 "are read behind");
  }

  /// Moves `load` in front of `place`, if its operands are there and registers
  /// hold it from there on.
  bool hoist(LoadOp load, Operation *place) {
    for (Value operand : load->getOperands())
      if (Operation *op = getProducer(operand, place->getBlock());
          op && !op->isBeforeInBlock(place))
        return false;
    int64_t more = getRegisters(load.getResult());
    auto between = llvm::make_range(place->getIterator(), load->getIterator());
    if (llvm::any_of(between, [&](Operation &op) {
          return registers.lookup(&op) + more > limit;
        }))
      return false;
    for (Operation &op : between)
      registers[&op] += more;
    load->moveBefore(place);
    return true;
  }

  int64_t limit = 0;
  /// What is alive at an operation.
  DenseMap<Operation *, int64_t> registers;
};
} // namespace
