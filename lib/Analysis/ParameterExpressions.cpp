// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/ParameterExpressions.h"

#include "hk/Dialect/HK/HKDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

bool hk::isParameterOp(Operation *op) {
  return isa<ParamOp, PackedGetOp, PackZerosOp, PackScaleOp, PackScaleDimOp,
             PackMatVecOp, PackAddOp, PackConcatOp, PackLayoutOp>(op);
}

static bool isParameterExpression(Value value,
                                  llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *def = value.getDefiningOp();
  if (!def || !hk::isParameterOp(def))
    return false;
  if (!seen.insert(def).second)
    return true;
  return llvm::all_of(def->getOperands(), [&](Value operand) {
    return operand.getType().isIndex() || isParameterExpression(operand, seen);
  });
}

bool hk::isParameterExpression(Value value) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  return ::isParameterExpression(value, seen);
}

void hk::moveParameterExpressionBefore(Value value, Operation *position) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != position->getBlock() ||
      def->isBeforeInBlock(position))
    return;
  for (Value operand : def->getOperands())
    moveParameterExpressionBefore(operand, position);
  def->moveBefore(position);
}
