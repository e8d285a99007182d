// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer and root-mean-square normalisation of rows in registers: the mean, the
// sum of squared differences (two passes: one loses the variance of rows whose
// mean is large), and the result.

#include "TileEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// `frag` with zeros in the columns that pad it, whatever they hold. (Sums
/// over rows leave them out in the line layout.)
Value TileEmitter::zeroPadding(Value frag, int64_t columns) {
  auto type = cast<FragType>(frag.getType());
  if (type.getColumns() == columns)
    return frag;
  Value inside = MaskOp::create(b, loc, type, splat(1.0, columns), index(0),
                                index(0), index(columns), Value(),
                                /*causal=*/false);
  return map(type, {frag, inside}, [&](ValueRange x) -> Value {
    Value isInside = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                           x[1], constant(0.0));
    return arith::SelectOp::create(b, loc, isInside, x[0], constant(0.0));
  });
}

Value TileEmitter::emitNorm(Operation *op) {
  auto layerNorm = dyn_cast<LayerNormOp>(op);
  auto rmsNorm = dyn_cast<RMSNormOp>(op);
  Value x = evaluateAll(op->getOperand(0), b.getF32Type());
  loc = op->getLoc();
  int64_t features = getFeatures(op->getOperand(0));
  double eps = layerNorm ? layerNorm.getEps().convertToDouble()
                         : rmsNorm.getEps().convertToDouble();
  Value gamma = layerNorm ? layerNorm.getGamma() : rmsNorm.getGamma();
  Value beta = layerNorm ? layerNorm.getBeta() : Value();

  FragLayout layout = plan.getLayout(op->getResult(0));
  FragType type = fragType(rows, features, b.getF32Type(), layout);
  FragType perRow = rowType(b.getF32Type());
  auto times = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, loc, lhs, rhs, exact());
  };
  auto sum = [&](Value frag) -> Value {
    return RowReduceOp::create(b, loc, perRow, Reduction::Add,
                               zeroPadding(frag, features));
  };
  Value mean;
  if (layerNorm)
    mean = map(perRow, sum(x), [&](ValueRange e) {
      return times(e[0], constant(1.0 / features));
    });
  SmallVector<Value> inputs{x};
  if (mean)
    inputs.push_back(mean);
  auto centred = [&](ValueRange e) -> Value {
    return mean ? arith::SubFOp::create(b, loc, e[0], e[1], exact()).getResult()
                : e[0];
  };
  Value squares = map(type, inputs, [&](ValueRange e) {
    Value difference = centred(e);
    return times(difference, difference);
  });
  Value scale = map(perRow, sum(squares), [&](ValueRange e) -> Value {
    Value variance = times(e[0], constant(1.0 / features));
    variance = arith::AddFOp::create(b, loc, variance, constant(eps), exact());
    return math::RsqrtOp::create(b, loc, variance, approximate());
  });

  inputs.push_back(scale);
  unsigned scaleIndex = inputs.size() - 1;
  if (gamma)
    inputs.push_back(loadVector(gamma, Column(), features, layout));
  if (beta)
    inputs.push_back(loadVector(beta, Column(), features, layout));
  return map(type, inputs, [&](ValueRange e) {
    Value y = times(centred(e), e[scaleIndex]);
    if (gamma)
      y = times(y, e[scaleIndex + 1]);
    if (beta)
      y = arith::AddFOp::create(b, loc, y, e[scaleIndex + 2], exact());
    return y;
  });
}
