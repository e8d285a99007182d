// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Analysis/IsomorphicLayers.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace hk {
#define GEN_PASS_DEF_ROLLLAYERS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Parameters and constants can stand anywhere: makes one that is used in a
/// loop stand before it.
static void moveBefore(Value value, Operation *loopPosition) {
  Operation *def = value.getDefiningOp();
  if (def && def->getBlock() == loopPosition->getBlock() &&
      !def->isBeforeInBlock(loopPosition))
    def->moveBefore(loopPosition);
}

/// The body of the loop: the first layer, with its operands replaced.
static void buildBody(OpBuilder &builder, ArrayRef<Operation *> ops,
                      const LayerRun &run, Value number, ValueRange carried) {
  llvm::StringMap<Value> parameters;
  SmallVector<Operation *> body;
  for (unsigned op = 0; op < run.period; ++op) {
    // One value may stand for two things in the first layer (what is carried
    // and what is the same for all), so operands are set one by one.
    Operation *copy = ops[run.begin + op]->clone();
    body.push_back(copy);
    for (auto [i, operand] : llvm::enumerate(run.operands[op])) {
      switch (operand.kind) {
      case LayerOperand::Inner:
        copy->setOperand(i, body[operand.index]->getResult(operand.result));
        break;
      case LayerOperand::Carried:
        copy->setOperand(i, carried[operand.index]);
        break;
      case LayerOperand::Outer:
      case LayerOperand::Tied:
        break;
      case LayerOperand::Parameter: {
        Value &parameter = parameters[operand.key];
        if (!parameter) {
          auto param = copy->getOperand(i).getDefiningOp<ParamOp>();
          parameter = ParamOp::create(builder, param.getLoc(), param.getType(),
                                      builder.getStringAttr(operand.key),
                                      number, param.getFromAttr());
        }
        copy->setOperand(i, parameter);
        break;
      }
      }
    }
    builder.insert(copy);
  }
  SmallVector<Value> yielded;
  for (const LayerSlot &slot : run.slots)
    yielded.push_back(body[slot.op]->getResult(slot.result));
  scf::YieldOp::create(builder, ops[run.begin]->getLoc(), yielded);
}

/// Replaces the operations of a run by a loop.
static void roll(ArrayRef<Operation *> ops, const LayerRun &run) {
  Operation *first = ops[run.begin];
  Location loc = first->getLoc();
  for (unsigned op = 0; op < run.period; ++op)
    for (auto [i, operand] : llvm::enumerate(run.operands[op]))
      if (operand.kind == LayerOperand::Outer ||
          operand.kind == LayerOperand::Tied)
        moveBefore(ops[run.begin + op]->getOperand(i), first);
  SmallVector<Value> inits;
  for (const LayerSlot &slot : run.slots) {
    moveBefore(slot.init, first);
    inits.push_back(slot.init);
  }

  OpBuilder builder(first);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value).getResult();
  };
  Value lower = constant(run.firstNumber);
  Value upper = constant(run.firstNumber + run.layers);
  auto loop = scf::ForOp::create(
      builder, loc, lower, upper, constant(1), inits,
      [&](OpBuilder &nested, Location, Value number, ValueRange carried) {
        buildBody(nested, ops, run, number, carried);
      });

  ArrayRef<Operation *> rolled = ops.slice(run.begin, run.period * run.layers);
  llvm::SmallPtrSet<Operation *, 32> inside(rolled.begin(), rolled.end());
  for (auto [slot, result] : llvm::zip(run.slots, loop.getResults()))
    ops[run.end() - run.period + slot.op]
        ->getResult(slot.result)
        .replaceUsesWithIf(result, [&](OpOperand &use) {
          return !inside.contains(use.getOwner());
        });
  llvm::SmallPtrSet<Operation *, 32> leaves;
  for (Operation *op : llvm::reverse(rolled)) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && !inside.contains(def) && def->getNumOperands() == 0)
        leaves.insert(def);
    op->erase();
  }
  for (Operation *leaf : leaves)
    if (isOpTriviallyDead(leaf))
      leaf->erase();
}

namespace {
class RollLayersPass : public hk::impl::RollLayersBase<RollLayersPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr("hk.oracle_of") &&
          function.getBody().hasOneBlock())
        runOnFunction(function);
  }

  void runOnFunction(func::FuncOp function) {
    PassRemarks remarks(getArgument(), function);
    SmallVector<LayerMismatch> mismatches;
    for (;;) {
      LayerSequence sequence(function.getBody().front());
      std::optional<LayerRun> run = sequence.findLongestRun(mismatches);
      if (!run)
        break;
      remarks.passed(sequence.getOps()[run->begin]->getLoc(), "Rolled",
                     "rolled " + Twine(run->layers) + " layers of " +
                         Twine(run->period) + " operations, from number " +
                         Twine(run->firstNumber));
      roll(sequence.getOps(), *run);
    }
    // What is left may be looked at again each time round.
    std::set<std::pair<const void *, std::string>> seen;
    for (const LayerMismatch &mismatch : mismatches)
      if (seen.insert({mismatch.loc.getAsOpaquePointer(), mismatch.message})
              .second)
        remarks.missed(mismatch.loc, "NotRolled", mismatch.message);
  }
};
} // namespace
