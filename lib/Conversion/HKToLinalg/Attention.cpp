// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, one query of one head at a time: its row of scores is all that is
// held of the S x S of them.

#include "Compute.h"
#include "hk/Conversion/HKToLinalg/HKToLinalg.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace hk;

namespace {

/// Builds the code for one query of one head.
struct QueryBuilder {
  AttentionOp op;
  /// Sequence, query and head.
  Value b, i, h;
  /// The keys below it are looked at: `causal` and `lengths` are in it.
  Value bound;

  /// The index of element d of head `head` of row `row`.
  SmallVector<Value> at(Compute c, Value row, Value head, Value d) {
    Value first =
        arith::MulIOp::create(c.b, c.loc, head, c.index(op.getHeadDim()));
    return {b, row, arith::AddIOp::create(c.b, c.loc, first, d)};
  }

  /// `value`, or `masked` if the key mask hides key j.
  Value selectVisible(Compute c, Value j, Value value, Value masked) {
    if (!op.getKeyMask())
      return value;
    Value visible = tensor::ExtractOp::create(c.b, c.loc, op.getKeyMask(),
                                              ValueRange{b, j});
    return arith::SelectOp::create(c.b, c.loc, visible, value, masked);
  }

  /// The row of scores up to `bound`, and its maximum. A masked key has -inf.
  std::pair<Value, Value> buildScores(Compute c, Value group) {
    Value minusInfinity = c.constant(-std::numeric_limits<double>::infinity());
    Value row = tensor::EmptyOp::create(
        c.b, c.loc, ArrayRef<int64_t>{op.getSequenceLength()}, c.type);
    SmallVector<Value> results = c.loop(
        bound, {row, minusInfinity},
        [&](Compute c, Value j, ValueRange carried) -> SmallVector<Value> {
          Value score = c.sum(op.getHeadDim(), [&](Compute c, Value d) {
            Value q = c.load(op.getQuery(), at(c, i, h, d));
            Value k = c.load(op.getKey(), at(c, j, group, d));
            return c.mul(q, k);
          });
          score = c.mul(score, c.constant(op.getScaleValue()));
          score = selectVisible(c, j, score, minusInfinity);
          Value next =
              tensor::InsertOp::create(c.b, c.loc, score, carried[0], j);
          Value max = arith::MaximumFOp::create(c.b, c.loc, carried[1], score);
          return {next, max};
        });
    return {results[0], results[1]};
  }

  /// sum_j p_j V[j, :] and sum_j p_j, with p_j = e^(s_j - max).
  std::pair<Value, Value> buildSums(Compute c, Value group, Value scores,
                                    Value max) {
    Value zero = c.constant(0.0);
    Value empty = tensor::EmptyOp::create(
        c.b, c.loc, ArrayRef<int64_t>{op.getHeadDim()}, c.type);
    Value zeros = linalg::FillOp::create(c.b, c.loc, zero, empty).getResult(0);
    SmallVector<Value> results = c.loop(
        bound, {zeros, zero},
        [&](Compute c, Value j, ValueRange carried) -> SmallVector<Value> {
          Value s = c.sub(c.load(scores, j), max);
          Value p = op.getBase2()
                        ? math::Exp2Op::create(c.b, c.loc, s).getResult()
                        : math::ExpOp::create(c.b, c.loc, s).getResult();
          p = selectVisible(c, j, p, zero);
          Value context = c.loop(
              c.index(op.getHeadDim()), carried[0],
              [&](Compute c, Value d, ValueRange inner) -> SmallVector<Value> {
                Value v = c.load(op.getValue(), at(c, j, group, d));
                v = selectVisible(c, j, v, zero);
                Value term = c.mul(p, v);
                Value sum = c.add(c.load(inner[0], d), term);
                return {tensor::InsertOp::create(c.b, c.loc, sum, inner[0], d)};
              })[0];
          return {context, c.add(carried[1], p)};
        });
    return {results[0], results[1]};
  }

  /// The result with the columns of this head of this query written.
  Value build(Compute c, Value result) {
    Value group = arith::DivUIOp::create(
        c.b, c.loc, h, c.index(op.getNumHeads() / op.getKVHeads()));
    auto [scores, max] = buildScores(c, group);
    auto [context, sum] = buildSums(c, group, scores, max);
    // The sum is zero only where no key is visible: the largest p is 1.
    Value none = arith::CmpFOp::create(c.b, c.loc, arith::CmpFPredicate::OEQ,
                                       sum, c.constant(0.0));
    return c.loop(
        c.index(op.getHeadDim()), result,
        [&, sum = sum, context = context](
            Compute c, Value d, ValueRange carried) -> SmallVector<Value> {
          Value y = c.div(c.load(context, d), sum);
          y = arith::SelectOp::create(c.b, c.loc, none, c.constant(0.0), y);
          y = c.narrow(y, op.getQueryType().getElementType());
          return {tensor::InsertOp::create(c.b, c.loc, y, carried[0],
                                           at(c, i, h, d))};
        })[0];
  }
};

struct AttentionToLinalg : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Compute c{rewriter, op.getLoc(),
              getComputeType({op.getQuery(), op.getKey(), op.getValue()})};
    RankedTensorType type = op.getQueryType();
    Value batch =
        type.isDynamicDim(0)
            ? tensor::DimOp::create(rewriter, op.getLoc(), op.getQuery(), 0)
                  .getResult()
            : c.index(type.getDimSize(0));
    Value result = buildEmpty(rewriter, op.getLoc(), type, op.getQuery());
    result = c.loop(batch, result, [&](Compute c, Value b, ValueRange carried) {
      Value keys = c.index(op.getSequenceLength());
      if (op.getLengths()) {
        Value length = arith::IndexCastOp::create(
            c.b, c.loc, c.b.getIndexType(),
            tensor::ExtractOp::create(c.b, c.loc, op.getLengths(), b));
        keys = arith::MinSIOp::create(c.b, c.loc, keys, length);
      }
      return c.loop(c.index(op.getSequenceLength()), carried,
                    [&](Compute c, Value i, ValueRange carried) {
                      Value bound = keys;
                      if (op.getCausal())
                        bound = arith::MinSIOp::create(
                            c.b, c.loc, keys,
                            arith::AddIOp::create(c.b, c.loc, i, c.index(1)));
                      return c.loop(
                          c.index(op.getNumHeads()), carried,
                          [&](Compute c, Value h, ValueRange carried) {
                            QueryBuilder query{op, b, i, h, bound};
                            return SmallVector<Value>{
                                query.build(c, carried[0])};
                          });
                    });
    })[0];
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void hk::populateAttentionToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<AttentionToLinalg>(patterns.getContext());
}
