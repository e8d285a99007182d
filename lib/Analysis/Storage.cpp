// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/Storage.h"

#include "hk/Dialect/HK/HKDialect.h"

using namespace mlir;
using namespace hk;

bool hk::sharesStorage(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return isa<SplitOp>(op) || (cast && cast.keepsValues());
}

Value hk::getStorage(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!sharesStorage(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}
