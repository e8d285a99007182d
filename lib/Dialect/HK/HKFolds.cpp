// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and canonicalisations: what is the same for every network.

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;

/// True if the value is zero everywhere.
static bool isZero(Value value) {
  if (value.getDefiningOp<PackZerosOp>())
    return true;
  DenseFPElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<APFloat>().isZero();
}

/// x + 0 = x. (-0 + 0 is 0, which compares equal to -0.)
static OpFoldResult foldSum(Value lhs, Value rhs) {
  if (isZero(rhs))
    return lhs;
  if (isZero(lhs))
    return rhs;
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor) { return foldSum(getLhs(), getRhs()); }

OpFoldResult PackAddOp::fold(FoldAdaptor) {
  return foldSum(getLhs(), getRhs());
}

/// One tensor, and nothing after it.
OpFoldResult PackConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  return {};
}

/// A bias of zeros is no bias.
LogicalResult LinearOp::canonicalize(LinearOp op, PatternRewriter &rewriter) {
  if (!op.getBias() || !isZero(op.getBias()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().clear(); });
  return success();
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
  if (!inner || !inner.keepsValues())
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
