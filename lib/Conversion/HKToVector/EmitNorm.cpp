// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer and root-mean-square normalisation, a row at a time: the mean, the sum
// of squared differences (two passes: one loses the variance of rows whose
// mean is large), and the result.

#include "KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hk;

void KernelEmitter::emitNorm(Operation *op, const View &to) {
  auto layerNorm = dyn_cast<LayerNormOp>(op);
  auto rmsNorm = dyn_cast<RMSNormOp>(op);
  View from = view(op->getOperand(0));
  int64_t features = from.columns;
  double eps = layerNorm ? layerNorm.getEps().convertToDouble()
                         : rmsNorm.getEps().convertToDouble();
  Type element = cast<MemRefType>(to.memref.getType()).getElementType();
  Value gamma = layerNorm ? layerNorm.getGamma() : rmsNorm.getGamma();
  Value beta = layerNorm ? layerNorm.getBeta() : Value();
  auto vectorOf = [&](Value packed) -> Value {
    if (!packed)
      return Value();
    return operands.packed(packed.getDefiningOp<PackedGetOp>(), {features}, 0);
  };
  Value gammas = vectorOf(gamma), betas = vectorOf(beta);

  forEach(rows, [&](Value row) {
    // The sum over the row of `term` of its vectors.
    auto reduce = [&](function_ref<Value(Value)> term) -> Value {
      Value zero = v.constant(0.0, v.vectorType(v.lanes));
      int64_t whole = features - features % v.lanes;
      Value total;
      if (whole > 0) {
        auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), v.index(whole),
                                       v.index(v.lanes), ValueRange{zero});
        {
          OpBuilder::InsertionGuard guard(v.b);
          v.b.setInsertionPointToStart(loop.getBody());
          Value x = loadVector(from, row, loop.getInductionVar(), v.lanes);
          Value next = v.add(loop.getRegionIterArgs()[0], term(x));
          scf::YieldOp::create(v.b, v.loc, next);
        }
        total = v.sum(loop.getResult(0));
      }
      if (whole != features) {
        Value x = loadVector(from, row, v.index(whole), features - whole);
        Value rest = v.sum(term(x));
        total = total ? v.add(total, rest) : rest;
      }
      return total;
    };
    auto spread = [&](Value scalar, Value like) {
      return v.splat(scalar, cast<VectorType>(like.getType()).getDimSize(0));
    };
    Value inverse = v.constant(1.0 / features, v.f32());
    Value mean;
    if (layerNorm)
      mean = v.mul(reduce([](Value x) { return x; }), inverse);
    auto centred = [&](Value x) {
      return mean ? v.sub(x, spread(mean, x)) : x;
    };
    Value squares = reduce([&](Value x) {
      Value difference = centred(x);
      return v.mul(difference, difference);
    });
    Value variance = v.mul(squares, inverse);
    Value root = math::SqrtOp::create(
        v.b, v.loc, v.add(variance, v.constant(eps, v.f32())));
    Value scale = v.div(v.constant(1.0, v.f32()), root);
    forTiles(features, v.lanes, [&](Value column, int64_t width) {
      Value x = loadVector(from, row, column, width);
      Value y = v.mul(centred(x), spread(scale, x));
      auto parameter = [&](Value memref) -> Value {
        return vector::LoadOp::create(v.b, v.loc, v.vectorType(width), memref,
                                      ValueRange{column});
      };
      if (gammas)
        y = v.mul(y, parameter(gammas));
      if (betas)
        y = v.add(y, parameter(betas));
      storeVector(v.narrow(y, element), to, row, column);
    });
  });
}
