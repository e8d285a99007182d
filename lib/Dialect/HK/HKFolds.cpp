// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and canonicalisations: what is the same for every network.

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hk;

/// True if every value of `narrow` is a value of `wide`.
static bool widens(FloatType narrow, FloatType wide) {
  const llvm::fltSemantics &from = narrow.getFloatSemantics();
  const llvm::fltSemantics &to = wide.getFloatSemantics();
  return llvm::APFloat::semanticsPrecision(from) <=
             llvm::APFloat::semanticsPrecision(to) &&
         llvm::APFloat::semanticsMaxExponent(from) <=
             llvm::APFloat::semanticsMaxExponent(to) &&
         llvm::APFloat::semanticsMinExponent(from) >=
             llvm::APFloat::semanticsMinExponent(to);
}

/// True if the value is zero everywhere.
static bool isZero(Value value) {
  if (value.getDefiningOp<PackZerosOp>())
    return true;
  DenseFPElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<APFloat>().isZero();
}

/// x + 0 = x. (-0 + 0 is 0, which compares equal to -0.)
OpFoldResult AddOp::fold(FoldAdaptor) {
  if (isZero(getRhs()))
    return getLhs();
  if (isZero(getLhs()))
    return getRhs();
  return {};
}

/// A mask of a mask by the same value is the inner mask.
OpFoldResult MaskRowsOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<MaskRowsOp>();
  if (inner && inner.getMask() == getMask())
    return inner.getResult();
  return {};
}

/// A cast to the type that is there already is no cast.
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  return {};
}

/// A cast of a cast is one cast, where the inner one loses nothing.
LogicalResult CastOp::canonicalize(CastOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<CastOp>();
  if (!inner)
    return failure();
  auto from = cast<FloatType>(getElementTypeOrSelf(inner.getInput()));
  auto middle = cast<FloatType>(getElementTypeOrSelf(inner.getResult()));
  if (!widens(from, middle))
    return failure();
  rewriter.replaceOpWithNewOp<CastOp>(op, op.getResult().getType(),
                                      inner.getInput());
  return success();
}

/// A split into one part is the whole.
LogicalResult SplitOp::canonicalize(SplitOp op, PatternRewriter &rewriter) {
  if (op.getNumResults() != 1)
    return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}
