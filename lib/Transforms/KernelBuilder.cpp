// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelBuilder.h"

#include "hk/Transforms/CutPolicy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hk;

/// True if somebody outside of `inside` reads `value`, itself or through views.
static bool isReadOutside(Value value, const DenseSet<Operation *> &inside) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (inside.contains(user))
      return false;
    return !isView(user) || llvm::any_of(user->getResults(), [&](Value view) {
      return isReadOutside(view, inside);
    });
  });
}

LogicalResult KernelBuilder::collectInputs(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && inside.contains(op))
    return success();
  if (op && isView(op))
    return collectInputs(op->getOperand(0));
  auto get = dyn_cast_if_present<PackedGetOp>(op);
  if (!get) {
    inputs.insert(value);
    return success();
  }
  return get.getLayer() ? setLayer(get) : success();
}

/// The index that `layer` is a constant distance from.
static Value baseOf(Value layer) {
  while (auto sum = layer.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(sum.getRhs(), m_Constant()))
      break;
    layer = sum.getLhs();
  }
  return layer;
}

LogicalResult KernelBuilder::setLayer(PackedGetOp get) {
  Value base = baseOf(get.getLayer());
  if (!layer || layer == base) {
    layer = base;
    return success();
  }
  APInt one, other;
  if (!matchPattern(layer, m_ConstantInt(&one)) ||
      !matchPattern(base, m_ConstantInt(&other)) || one != other)
    return get.emitOpError()
           << "expects the packed values of a kernel to be of one layer, or "
              "layers at constant distances, but got two indices";
  equalLayers.push_back(base);
  return success();
}

/// A mask such that only rows of `results` that are valid under it are
/// demanded, or null. It is an input of the function: a plan can pass it on.
Value KernelBuilder::findSkipMask(ArrayRef<Value> results) {
  if (!demanded)
    return {};
  RowDemand demand = RowDemand::none();
  for (Value result : results)
    demand.join(demanded->get(result));
  if (demand.isNone())
    return {};
  for (Value mask : demand.getMasks())
    if (auto argument = dyn_cast<BlockArgument>(mask))
      if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
        return mask;
  return {};
}

/// The value in the kernel that stands for `value`.
Value KernelBuilder::map(OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  // Neither an input nor computed inside: a view, a packed value, or the
  // distance to its layer.
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    map(builder, operand);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

FailureOr<KernelOp> KernelBuilder::build(StringRef name, Scope scope) {
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (failed(collectInputs(operand)))
        return failure();
  if (inputs.empty())
    return ops.front()->emitOpError()
           << "expects an operand that depends on an input of the function, "
              "but got parameters alone";
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (isReadOutside(result, inside))
        results.push_back(result);

  OpBuilder builder(ops.front());
  IntegerAttr skipRows;
  if (Value mask = findSkipMask(results)) {
    inputs.insert(mask);
    skipRows = builder.getI64IntegerAttr(
        std::distance(inputs.begin(), llvm::find(inputs, mask)));
  }
  if (layer) {
    inputs.insert(layer);
    // A constant may stand behind the first operation.
    Operation *op = layer.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>() &&
        op->getBlock() == ops.front()->getBlock() &&
        ops.front()->isBeforeInBlock(op))
      op->moveBefore(ops.front());
  }

  Location loc = ops.front()->getLoc();
  auto kernel = KernelOp::create(
      builder, loc, TypeRange(ValueRange(results)), builder.getStringAttr(name),
      inputs.getArrayRef(), ScopeAttr::get(builder.getContext(), scope),
      ArrayAttr(), skipRows);
  Block *body = builder.createBlock(&kernel.getBody());
  for (Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Value equal : equalLayers)
    mapping.map(equal, mapping.lookup(layer));
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      map(builder, operand);
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  YieldOp::create(builder, loc, yielded);

  for (auto [from, to] : llvm::zip_equal(results, kernel.getResults()))
    from.replaceAllUsesWith(to);
  for (Operation *op : llvm::reverse(ops)) {
    op->dropAllUses(); // By views that nothing reads any more.
    op->erase();
  }
  return kernel;
}
