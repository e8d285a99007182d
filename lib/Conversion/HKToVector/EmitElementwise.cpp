// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise operations, alone and behind a linear operation.

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;

Value KernelEmitter::rowIsValid(MaskRowsOp op, Value row) {
  Value token = v.addIndex(firstRow, row);
  auto mask = cast<BlockArgument>(op.getMask());
  Value operand = operands.arguments[mask.getArgNumber()];
  if (op.getLengths())
    return arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::slt, token,
                                 operand);
  return v.isSet(
      memref::LoadOp::create(v.b, v.loc, operand, ValueRange{token}));
}

/// The f32 vector of `value` at (row, column), computed from what is in memory
/// and from `core`, the vector of the group's linear operation.
Value KernelEmitter::evaluate(Value value, Value row, Value column,
                              int64_t width, const KernelGroup &group,
                              Value core) {
  Operation *op = value.getDefiningOp();
  if (group.core && op == group.core && core)
    return core;
  if (!op || (op != group.root && !groups.isInline(value)))
    return loadVector(view(value), row, column, width);
  auto operand = [&](unsigned index) {
    return evaluate(op->getOperand(index), row, column, width, group, core);
  };
  if (auto activation = dyn_cast<ActivationOp>(op))
    return v.activation(activation.getKind(), operand(0));
  if (isa<AddOp>(op))
    return v.add(operand(0), operand(1));
  if (isa<MulOp>(op))
    return v.mul(operand(0), operand(1));
  if (auto mask = dyn_cast<MaskRowsOp>(op)) {
    Value valid = rowIsValid(mask, row);
    Value inner = operand(0);
    return v.select(valid, inner, v.constant(0.0, inner.getType()));
  }
  // A cast to a narrower type rounds, also where the value stays in registers.
  Value inner = operand(0);
  return v.widen(v.narrow(inner, getElementTypeOrSelf(value.getType())));
}

void KernelEmitter::emitElementwise(const KernelGroup &group, const View &to) {
  Value result = group.root->getResult(0);
  Type element = cast<MemRefType>(to.memref.getType()).getElementType();
  forEach(rows, [&](Value row) {
    forTiles(to.columns, v.lanes, [&](Value column, int64_t width) {
      Value vector = evaluate(result, row, column, width, group, Value());
      storeVector(v.narrow(vector, element), to, row, column);
    });
  });
}
