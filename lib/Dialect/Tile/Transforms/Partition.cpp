// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Uniformity.h"
#include "Uses.h"
#include "hk/Transforms/Remarks.h"

#include "mlir/IR/IRMapping.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEPARTITION
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

static bool isProducers(Operation *op) {
  return isa<AcquireOp, CopyOp, CommitOp>(op);
}

namespace {
/// The part of a kernel that its copies need.
class Slice {
public:
  /// Adds a root and what it needs.
  void add(Operation *root) { needOp(root); }

  /// Clones the part of `block` that is needed.
  void clone(Block &block, OpBuilder &builder, IRMapping &map) const {
    for (Operation &op : block.without_terminator()) {
      if (!ops.contains(&op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        cloneLoop(loop, builder, map);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        cloneIf(branch, builder, map);
      else
        builder.clone(op, map);
    }
  }

private:
  using Position = std::pair<Operation *, unsigned>;

  void needOp(Operation *op) {
    // Channels belong to both roles.
    if (isa<ChanOp>(op) || !ops.insert(op).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      need(loop.getLowerBound());
      need(loop.getUpperBound());
      need(loop.getStep());
    } else {
      for (Value operand : op->getOperands())
        need(operand);
    }
    if (!isa<KernelOp>(op->getParentOp()))
      needOp(op->getParentOp());
  }

  void need(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return;
      needOp(loop);
      if (value != loop.getInductionVar())
        needResult(loop, argument.getArgNumber() - 1);
      return;
    }
    Operation *op = value.getDefiningOp();
    needOp(op);
    if (isa<scf::ForOp, scf::IfOp>(op))
      needResult(op, cast<OpResult>(value).getResultNumber());
  }

  /// The result of a loop, and so what it carries, or of a condition.
  void needResult(Operation *op, unsigned number) {
    if (!results.insert({op, number}).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      need(loop.getInitArgs()[number]);
      need(loop.getYieldedValues()[number]);
      return;
    }
    auto branch = cast<scf::IfOp>(op);
    need(branch.thenYield().getOperand(number));
    need(branch.elseYield().getOperand(number));
  }

  /// The numbers of the results of `op` that are needed.
  SmallVector<unsigned> getNumbers(Operation *op) const {
    SmallVector<unsigned> numbers;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (results.contains({op, i}))
        numbers.push_back(i);
    return numbers;
  }

  static SmallVector<Value>
  select(ValueRange values, ArrayRef<unsigned> numbers, const IRMapping &map) {
    return llvm::map_to_vector(
        numbers, [&](unsigned i) { return map.lookupOrDefault(values[i]); });
  }

  void cloneLoop(scf::ForOp loop, OpBuilder &builder, IRMapping &map) const {
    SmallVector<unsigned> numbers = getNumbers(loop);
    auto clone_ = scf::ForOp::create(
        builder, loop.getLoc(), map.lookupOrDefault(loop.getLowerBound()),
        map.lookupOrDefault(loop.getUpperBound()),
        map.lookupOrDefault(loop.getStep()),
        select(loop.getInitArgs(), numbers, map),
        [&](OpBuilder &inner, Location loc, Value iv, ValueRange carried) {
          map.map(loop.getInductionVar(), iv);
          for (auto [i, value] : llvm::zip_equal(numbers, carried))
            map.map(loop.getRegionIterArg(i), value);
          clone(*loop.getBody(), inner, map);
          scf::YieldOp::create(inner, loc,
                               select(loop.getYieldedValues(), numbers, map));
        });
    clone_->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    for (auto [i, value] : llvm::zip_equal(numbers, clone_.getResults()))
      map.map(loop.getResult(i), value);
  }

  void cloneIf(scf::IfOp branch, OpBuilder &builder, IRMapping &map) const {
    SmallVector<unsigned> numbers = getNumbers(branch);
    SmallVector<Type> types = llvm::map_to_vector(
        numbers, [&](unsigned i) { return branch.getResult(i).getType(); });
    bool hasElse = !branch.getElseRegion().empty();
    auto clone_ = scf::IfOp::create(builder, branch.getLoc(), types,
                                    map.lookupOrDefault(branch.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/hasElse);
    auto fill = [&](Block *from, Block *to) {
      OpBuilder inner = OpBuilder::atBlockEnd(to);
      clone(*from, inner, map);
      scf::YieldOp::create(
          inner, branch.getLoc(),
          select(from->getTerminator()->getOperands(), numbers, map));
    };
    fill(branch.thenBlock(), clone_.thenBlock());
    if (hasElse)
      fill(branch.elseBlock(), clone_.elseBlock());
    for (auto [i, value] : llvm::zip_equal(numbers, clone_.getResults()))
      map.map(branch.getResult(i), value);
  }

  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<Position> results;
};

class PartitionPass : public hk::tile::impl::TilePartitionBase<PartitionPass> {
  using TilePartitionBase::TilePartitionBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!contains<AcquireOp>(kernel) || contains<RoleOp>(kernel))
      return;
    Slice slice;
    WalkResult result = kernel.walk([&](Operation *op) {
      if (!isProducers(op))
        return WalkResult::advance();
      if (failed(verify(op)))
        return WalkResult::interrupt();
      slice.add(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    setProducers(kernel);

    // Channels stay before the roles.
    Block &body = kernel.getBody().front();
    Operation *end = body.getTerminator();
    OpBuilder builder(end);
    auto createRole = [&](RoleKind kind) {
      auto role = RoleOp::create(builder, kernel.getLoc(), kind);
      return &role.getBody().emplaceBlock();
    };
    Block *producer = createRole(RoleKind::Producer);
    Block *consumer = createRole(RoleKind::Consumer);
    Operation *first = producer->getParentOp();
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::make_range(body.begin(), first->getIterator()))
      if (!isa<ChanOp>(op))
        ops.push_back(&op);
    IRMapping map;
    builder.setInsertionPointToStart(producer);
    slice.clone(body, builder, map);
    for (Operation *op : ops)
      op->moveBefore(consumer, consumer->end());
    erase(*consumer);
  }

  static LogicalResult verify(Operation *op) {
    for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
         parent = parent->getParentOp())
      if (!isa<scf::ForOp, scf::IfOp>(parent))
        return op->emitOpError()
               << "expects scf.for and scf.if around it, but got "
               << parent->getName();
    auto copy = dyn_cast<CopyOp>(op);
    SmallVector<Value> operands;
    if (copy) {
      operands.assign(copy.getIndices().begin(), copy.getIndices().end());
      if (copy.getRows())
        operands.push_back(copy.getRows());
    }
    return verifyCollective(op, operands);
  }

  /// Erases from the consumers what is the producer's alone.
  static void erase(Block &consumer) {
    SmallVector<Operation *> producers;
    consumer.walk([&](Operation *op) {
      if (isProducers(op))
        producers.push_back(op);
    });
    for (Operation *op : llvm::reverse(producers))
      op->erase();
    SmallVector<Operation *> ops;
    consumer.walk([&](Operation *op) { ops.push_back(op); });
    // Inner operations come first, users after what they use.
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumRegions() == 0 && isOpTriviallyDead(op))
        op->erase();
  }

  void setProducers(KernelOp kernel) {
    int64_t warps = producers > 0 ? int64_t(producers) : estimate(kernel);
    // Registers go from warpgroup to warpgroup.
    if (kernel->hasAttr("hk.ctas"))
      warps = llvm::alignTo(warps, 4);
    kernel.setProducers(warps);
    PassRemarks(getArgument(), kernel)
        .passed(kernel.getLoc(), "Roles",
                Twine(kernel.getUnits()) + " consumer warps and " +
                    Twine(warps) + " that copy");
  }

  /// The producer warps that keep up with the consumers, block by block.
  static int64_t estimate(KernelOp kernel) {
    int64_t warps = 1;
    int64_t units = kernel.getUnits();
    kernel.walk([&](Block *block) {
      int64_t bytes = 0, products = 0;
      for (Operation &op : *block) {
        if (auto copy = dyn_cast<CopyOp>(op)) {
          auto acquire = copy.getSlot().getDefiningOp<AcquireOp>();
          auto chan = acquire.getChan().getDefiningOp<ChanOp>();
          if (chan.getTransport() == Transport::Async)
            bytes += copy.getSlot().getType().getBytes();
        } else if (auto mma = dyn_cast<MmaOp>(op)) {
          FragType a = mma.getA().getType(), d = mma.getType();
          products +=
              d.getRows() * d.getColumns() * a.getColumns() / (16 * 8 * 16);
        }
      }
      int64_t copying = bytes / 512 * 16;
      int64_t computing = std::max<int64_t>(1, units * products * 2);
      while (warps < 4 && copying > warps * computing)
        warps *= 2;
    });
    // A CTA has at most 32 warps.
    while (warps > 1 && units + warps > 32)
      warps /= 2;
    return warps;
  }
};
} // namespace
