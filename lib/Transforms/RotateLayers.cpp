// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Passes.h"

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace hk {
#define GEN_PASS_DEF_ROTATELAYERS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Follows views to the value that is viewed.
static Value viewed(Value value) {
  while (auto split = value.getDefiningOp<SplitOp>())
    value = split.getInput();
  return value;
}

namespace {

/// One loop over layers: its head is what the first attention depends on.
class Rotation {
public:
  /// With `takesAttention`, the attention itself is part of the head.
  Rotation(scf::ForOp loop, bool takesAttention)
      : loop(loop), body(*loop.getBody()), builder(loop),
        takesAttention(takesAttention) {}

  /// True if there is something to rotate; else `why` may say what hinders.
  bool prepare(std::string &why);
  void run();

private:
  /// A value before the loop, at the end of an iteration, or after the loop.
  using Values = SmallVector<Value>;

  bool isHead(Operation *op) const { return head.contains(op); }
  void collectHead(Value value);
  void collectCrossing();
  Values emitHead(Value layer, ValueRange carried);
  Values emitRest(Value layer, ValueRange carried, ValueRange crossed);
  void clone(Operation &op, IRMapping &mapping) { builder.clone(op, mapping); }
  IRMapping map(Value layer, ValueRange carried);

  scf::ForOp loop;
  Block &body;
  OpBuilder builder;
  bool takesAttention;
  DenseSet<Operation *> head;
  /// What the rest reads of the head; packed values are read again instead.
  llvm::SetVector<Value> crossing;
  int64_t lower = 0, upper = 0, step = 0;
};

class RotateLayersPass : public hk::impl::RotateLayersBase<RotateLayersPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto plan = function->getAttrOfType<StringAttr>("hk.plan");
    bool isProjected = plan && plan.getValue() == "projected";
    if (!plan || (plan.getValue() != "fused" && plan.getValue() != "chains" &&
                  !isProjected))
      return;
    PassRemarks remarks(getArgument(), function);
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      Rotation rotation(loop, isProjected);
      std::string why;
      if (!rotation.prepare(why)) {
        if (!why.empty())
          remarks.missed(loop.getLoc(), "NotRotated", why);
        continue;
      }
      remarks.passed(loop.getLoc(), "Rotated",
                     isProjected ? "an iteration begins behind the attention, "
                                   "and ends with the next one's"
                                 : "an iteration begins at the attention, and "
                                   "ends with what the next one's attention "
                                   "reads");
      rotation.run();
    }
  }
};

} // namespace

void Rotation::collectHead(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body || !head.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    collectHead(operand);
}

/// What leaves the head: values that the rest or the end of the body reads.
void Rotation::collectCrossing() {
  for (Operation &op : body) {
    if (!isHead(&op) || isa<PackedGetOp>(op))
      continue;
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isHead(user); }))
        crossing.insert(result);
  }
}

bool Rotation::prepare(std::string &why) {
  AttentionOp first;
  for (Operation &op : body)
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      first = attention;
      break;
    }
  if (!first)
    return false;
  APInt bounds[3];
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&bounds[0])) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&bounds[1])) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&bounds[2])) ||
      !bounds[2].isStrictlyPositive()) {
    why = "expects constant bounds and a positive constant step, so that the "
          "last layer is known, but got others";
    return false;
  }
  lower = bounds[0].getSExtValue();
  upper = bounds[1].getSExtValue();
  step = bounds[2].getSExtValue();
  if (lower >= upper)
    return false;
  for (Value value : {first.getQuery(), first.getKey(), first.getValue()})
    collectHead(viewed(value));
  bool isRotated = llvm::none_of(head, [](Operation *op) {
        return isa<ScopeOpInterface>(op) && !isa<SplitOp>(op);
      });
  if (isRotated)
    return false;
  if (takesAttention)
    collectHead(first.getResult());
  collectCrossing();
  return true;
}

/// The values of an iteration.
IRMapping Rotation::map(Value layer, ValueRange carried) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), layer);
  mapping.map(loop.getRegionIterArgs(), carried);
  return mapping;
}

Rotation::Values Rotation::emitHead(Value layer, ValueRange carried) {
  IRMapping mapping = map(layer, carried);
  for (Operation &op : body)
    if (isHead(&op))
      clone(op, mapping);
  Values values;
  for (Value value : crossing)
    values.push_back(mapping.lookup(value));
  return values;
}

Rotation::Values Rotation::emitRest(Value layer, ValueRange carried,
                                    ValueRange crossed) {
  IRMapping mapping = map(layer, carried);
  for (auto [value, given] : llvm::zip_equal(crossing, crossed))
    mapping.map(value, given);
  for (Operation &op : body.without_terminator()) {
    bool isShared =
        isa<PackedGetOp>(op) &&
        llvm::any_of(op.getUsers(), [&](Operation *u) { return !isHead(u); });
    if (!isHead(&op) || isShared)
      clone(op, mapping);
  }
  Values values;
  for (Value value : body.getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}

void Rotation::run() {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t last = lower + (upper - 1 - lower) / step * step;
  Values carried(loop.getInitArgs());
  Values crossed = emitHead(constant(lower), carried);
  size_t numCarried = carried.size();
  if (lower < last) {
    Values inits = carried;
    inits.append(crossed);
    auto rotated = scf::ForOp::create(builder, loc, constant(lower),
                                      constant(last), constant(step), inits);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(rotated.getBody());
      Value layer = rotated.getInductionVar();
      ValueRange arguments = rotated.getRegionIterArgs();
      Values yielded = emitRest(layer, arguments.take_front(numCarried),
                                arguments.drop_front(numCarried));
      Value next = arith::AddIOp::create(builder, loc, layer, constant(step));
      Values results = emitHead(next, yielded);
      yielded.append(results);
      scf::YieldOp::create(builder, loc, yielded);
    }
    ValueRange results = rotated.getResults();
    carried = Values(results.take_front(numCarried));
    crossed = Values(results.drop_front(numCarried));
  }
  Values results = emitRest(constant(last), carried, crossed);
  loop.replaceAllUsesWith(results);
  loop.erase();
}
