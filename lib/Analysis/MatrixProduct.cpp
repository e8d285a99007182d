// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/MatrixProduct.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hk;

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}

Type MatrixProduct::getInputElement() const {
  return cast<RankedTensorType>(input.getType()).getElementType();
}

int64_t MatrixProduct::getColumns() const { return result.getShape().back(); }

int64_t MatrixProduct::getDepth() const {
  return cast<RankedTensorType>(input.getType()).getShape().back();
}

std::optional<MatrixProduct> hk::matchMatrixProduct(Block &body) {
  Operation *end = body.getTerminator();
  if (end->getNumOperands() != 1)
    return std::nullopt;
  MatrixProduct product;
  product.result = dyn_cast<RankedTensorType>(end->getOperand(0).getType());
  if (!product.result)
    return std::nullopt;
  Value value = skipCasts(end->getOperand(0));
  if (auto add = value.getDefiningOp<AddOp>()) {
    Value lhs = skipCasts(add.getLhs()), rhs = skipCasts(add.getRhs());
    if (isa<BlockArgument>(lhs))
      std::swap(lhs, rhs);
    product.residual = dyn_cast<BlockArgument>(rhs);
    if (!product.residual || product.residual.getType() != product.result)
      return std::nullopt;
    value = lhs;
  }
  product.linear = value.getDefiningOp<LinearOp>();
  if (!product.linear)
    return std::nullopt;
  product.input = dyn_cast<BlockArgument>(skipCasts(product.linear.getInput()));
  product.weight =
      skipCasts(product.linear.getWeight()).getDefiningOp<PackedGetOp>();
  if (!product.input || !product.weight)
    return std::nullopt;
  if (Value bias = product.linear.getBias()) {
    product.bias = skipCasts(bias).getDefiningOp<PackedGetOp>();
    if (!product.bias)
      return std::nullopt;
  }
  // Nothing else is computed: the product was found by following what is used,
  // and each of these is used once.
  unsigned linears = 0, adds = 0;
  for (Operation &op : body.without_terminator()) {
    linears += isa<LinearOp>(op);
    adds += isa<AddOp>(op);
    if (!isa<LinearOp, AddOp, CastOp, PackedGetOp>(op))
      return std::nullopt;
  }
  if (linears != 1 || adds != (product.residual ? 1 : 0))
    return std::nullopt;
  return product;
}
