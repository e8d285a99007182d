// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that compute each row from itself.

#include "Compute.h"
#include "hk/Conversion/HKToLinalg/HKToLinalg.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hk;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The element itself, of a tensor of the shape of the result.
static ElementInput atElement(Value tensor) {
  return {tensor, AffineMap::getMultiDimIdentityMap(
                      getTensorType(tensor).getRank(), tensor.getContext())};
}

/// The element of a vector for the last dimension of a result of `rank`.
static ElementInput atColumn(Value vector, int64_t rank) {
  return {
      vector,
      AffineMap::get(rank, 0, getAffineDimExpr(rank - 1, vector.getContext()))};
}

/// The element of a tensor for the leading dimensions of a result of `rank`.
static ElementInput atLeading(Value tensor, int64_t rank) {
  return {tensor, AffineMap::getMultiDimIdentityMap(rank, tensor.getContext())
                      .getMajorSubMap(getTensorType(tensor).getRank())};
}

/// The indices of the element that a generic computes.
static SmallVector<Value> getIndices(OpBuilder &b, Location loc, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t d = 0; d < rank; ++d)
    indices.push_back(linalg::IndexOp::create(b, loc, d));
  return indices;
}

namespace {

struct LinearToLinalg : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getTensorType(op.getResult());
    FloatType compute = getComputeType(op.getOperands());
    int64_t rank = type.getRank();
    int64_t features = getTensorType(op.getWeight()).getDimSize(1);
    SmallVector<ElementInput> inputs;
    if (op.getBias())
      inputs.push_back(atColumn(op.getBias(), rank));
    rewriter.replaceOp(
        op, buildElements(rewriter, op.getLoc(), type, op.getInput(), inputs,
                          [&](OpBuilder &b, Location loc, ValueRange bias) {
                            Compute c{b, loc, compute};
                            SmallVector<Value> x = getIndices(b, loc, rank);
                            Value n = x.back();
                            Value y = c.sum(features, [&](Compute c, Value k) {
                              x.back() = k;
                              Value element = c.load(op.getInput(), x);
                              Value weight = c.load(op.getWeight(), {n, k});
                              return c.mul(element, weight);
                            });
                            if (!bias.empty())
                              y = c.add(y, c.widen(bias[0]));
                            return SmallVector<Value>{
                                c.narrow(y, type.getElementType())};
                          }));
    return success();
  }
};

/// y = (x - shift) * factor * gamma + beta, with one shift and factor a row.
/// `statistics` computes them (the shift may be missing) from a function that
/// gives element k of the row.
template <typename Op>
LogicalResult rewriteNorm(Op op, Value beta, PatternRewriter &rewriter,
                          function_ref<SmallVector<Value>(
                              Compute, function_ref<Value(Compute, Value)>)>
                              statistics,
                          int64_t count) {
  RankedTensorType type = getTensorType(op.getResult());
  FloatType compute = getComputeType(op->getOperands());
  int64_t rank = type.getRank();
  auto rowType = RankedTensorType::get(type.getShape().drop_back(), compute);
  SmallVector<Value> rows = buildElements(
      rewriter, op.getLoc(), SmallVector<RankedTensorType>(count, rowType),
      op.getInput(), {}, [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> x = getIndices(b, loc, rank - 1);
        x.push_back(nullptr);
        return statistics(Compute{b, loc, compute}, [&](Compute c, Value k) {
          x.back() = k;
          return c.load(op.getInput(), x);
        });
      });

  SmallVector<ElementInput> inputs = {atElement(op.getInput())};
  for (Value row : rows)
    inputs.push_back(atLeading(row, rank));
  if (op.getGamma())
    inputs.push_back(atColumn(op.getGamma(), rank));
  if (beta)
    inputs.push_back(atColumn(beta, rank));
  rewriter.replaceOp(
      op, buildElements(rewriter, op.getLoc(), type, op.getInput(), inputs,
                        [&](OpBuilder &b, Location loc, ValueRange elements) {
                          Compute c{b, loc, compute};
                          Value y = c.widen(elements.front());
                          ValueRange rest = elements.drop_front();
                          if (count == 2)
                            y = c.sub(y, rest[0]);
                          y = c.mul(y, rest[count - 1]);
                          rest = rest.drop_front(count);
                          if (op.getGamma())
                            y = c.mul(y, c.widen(rest[0]));
                          if (beta)
                            y = c.add(y, c.widen(rest[1]));
                          return SmallVector<Value>{
                              c.narrow(y, type.getElementType())};
                        }));
  return success();
}

/// 1 / sqrt(squares / features + eps)
static Value getInverseRoot(Compute c, Value squares, int64_t features,
                            double eps) {
  Value mean = c.div(squares, c.constant(static_cast<double>(features)));
  Value root = math::SqrtOp::create(c.b, c.loc, c.add(mean, c.constant(eps)));
  return c.div(c.constant(1.0), root);
}

struct LayerNormToLinalg : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    int64_t features = op.getFeatures();
    double eps = op.getEps().convertToDouble();
    return rewriteNorm(
        op, op.getBeta(), rewriter,
        [&](Compute c, function_ref<Value(Compute, Value)> x) {
          Value mean = c.div(c.sum(features, x),
                             c.constant(static_cast<double>(features)));
          Value squares = c.sum(features, [&](Compute c, Value k) {
            Value d = c.sub(x(c, k), mean);
            return c.mul(d, d);
          });
          return SmallVector<Value>{mean,
                                    getInverseRoot(c, squares, features, eps)};
        },
        2);
  }
};

struct RMSNormToLinalg : OpRewritePattern<RMSNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RMSNormOp op,
                                PatternRewriter &rewriter) const override {
    int64_t features = op.getFeatures();
    double eps = op.getEps().convertToDouble();
    return rewriteNorm(
        op, Value(), rewriter,
        [&](Compute c, function_ref<Value(Compute, Value)> x) {
          Value squares = c.sum(features, [&](Compute c, Value k) {
            Value v = x(c, k);
            return c.mul(v, v);
          });
          return SmallVector<Value>{getInverseRoot(c, squares, features, eps)};
        },
        1);
  }
};

/// An operation on elements of tensors of one shape.
template <typename Op>
LogicalResult
rewriteElements(Op op, PatternRewriter &rewriter,
                function_ref<Value(Compute, ValueRange)> formula) {
  RankedTensorType type = getTensorType(op->getResult(0));
  FloatType compute = getComputeType(op->getOperands());
  SmallVector<ElementInput> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(atElement(operand));
  rewriter.replaceOp(
      op, buildElements(rewriter, op->getLoc(), type, op->getOperand(0), inputs,
                        [&](OpBuilder &b, Location loc, ValueRange elements) {
                          Compute c{b, loc, compute};
                          SmallVector<Value> wide;
                          for (Value element : elements)
                            wide.push_back(c.widen(element));
                          return SmallVector<Value>{c.narrow(
                              formula(c, wide), type.getElementType())};
                        }));
  return success();
}

static Value buildActivation(Compute c, ActivationKind kind, Value x) {
  switch (kind) {
  case ActivationKind::GeluErf: {
    Value t = c.mul(x, c.constant(0.70710678118654752440)); // 1 / sqrt(2)
    Value erf = math::ErfOp::create(c.b, c.loc, t);
    return c.mul(c.mul(c.constant(0.5), x), c.add(c.constant(1.0), erf));
  }
  case ActivationKind::GeluTanh: {
    Value cube = c.mul(c.mul(x, x), x);
    Value t = c.mul(c.constant(0.79788456080286535588), // sqrt(2 / pi)
                    c.add(x, c.mul(c.constant(0.044715), cube)));
    Value tanh = math::TanhOp::create(c.b, c.loc, t);
    return c.mul(c.mul(c.constant(0.5), x), c.add(c.constant(1.0), tanh));
  }
  case ActivationKind::Relu:
    return arith::MaximumFOp::create(c.b, c.loc, x, c.constant(0.0));
  case ActivationKind::Silu: {
    Value exp =
        math::ExpOp::create(c.b, c.loc, arith::NegFOp::create(c.b, c.loc, x));
    return c.div(x, c.add(c.constant(1.0), exp));
  }
  }
  llvm_unreachable("the kinds are covered");
}

struct ActivationToLinalg : OpRewritePattern<ActivationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ActivationOp op,
                                PatternRewriter &rewriter) const override {
    return rewriteElements(op, rewriter, [&](Compute c, ValueRange x) {
      return buildActivation(c, op.getKind(), x[0]);
    });
  }
};

struct AddToLinalg : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    return rewriteElements(op, rewriter, [](Compute c, ValueRange x) {
      return c.add(x[0], x[1]);
    });
  }
};

struct MulToLinalg : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    return rewriteElements(op, rewriter, [](Compute c, ValueRange x) {
      return c.mul(x[0], x[1]);
    });
  }
};

/// Rounds straight from the input's type: through f32 would round twice.
struct CastToLinalg : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getTensorType(op.getResult());
    auto from = cast<FloatType>(getTensorType(op.getInput()).getElementType());
    auto to = cast<FloatType>(type.getElementType());
    FloatType wide = from.getWidth() > to.getWidth() ? from : to;
    // f16 and bf16 hold no values of each other, f32 holds those of both.
    if (from != to && from.getWidth() == to.getWidth())
      wide = rewriter.getF32Type();
    rewriter.replaceOp(
        op,
        buildElements(rewriter, op.getLoc(), type, op.getInput(),
                      atElement(op.getInput()),
                      [&](OpBuilder &b, Location loc, ValueRange x) {
                        Compute c{b, loc, wide};
                        return SmallVector<Value>{c.narrow(c.widen(x[0]), to)};
                      }));
    return success();
  }
};

struct MaskRowsToLinalg : OpRewritePattern<MaskRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaskRowsOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getTensorType(op.getResult());
    rewriter.replaceOp(
        op,
        buildElements(
            rewriter, op.getLoc(), type, op.getInput(),
            {atElement(op.getInput()), atLeading(op.getMask(), type.getRank())},
            [&](OpBuilder &b, Location loc, ValueRange elements) {
              Value valid = elements[1];
              if (op.getLengths()) {
                Value row = linalg::IndexOp::create(b, loc, 1);
                Value length = arith::IndexCastOp::create(
                    b, loc, b.getIndexType(), elements[1]);
                valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              row, length);
              }
              Value zero = arith::ConstantOp::create(
                  b, loc, b.getZeroAttr(type.getElementType()));
              return SmallVector<Value>{
                  arith::SelectOp::create(b, loc, valid, elements[0], zero)};
            }));
    return success();
  }
};

struct SplitToLinalg : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      RankedTensorType type = getTensorType(result);
      SmallVector<OpFoldResult> offsets, sizes,
          strides(type.getRank(), rewriter.getIndexAttr(1));
      for (int64_t d = 0; d < type.getRank(); ++d) {
        offsets.push_back(rewriter.getIndexAttr(0));
        if (type.isDynamicDim(d))
          sizes.push_back(
              tensor::DimOp::create(rewriter, op.getLoc(), op.getInput(), d)
                  .getResult());
        else
          sizes.push_back(rewriter.getIndexAttr(type.getDimSize(d)));
      }
      offsets.back() = rewriter.getIndexAttr(op.getColumnOffset(index));
      parts.push_back(tensor::ExtractSliceOp::create(
          rewriter, op.getLoc(), type, op.getInput(), offsets, sizes, strides));
    }
    rewriter.replaceOp(op, parts);
    return success();
  }
};

} // namespace

void hk::populateRowOpsToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<ActivationToLinalg, AddToLinalg, CastToLinalg, LayerNormToLinalg,
               LinearToLinalg, MaskRowsToLinalg, MulToLinalg, RMSNormToLinalg,
               SplitToLinalg>(patterns.getContext());
}
