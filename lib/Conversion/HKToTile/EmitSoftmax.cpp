// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of an online softmax between the two products of a block of keys:
// maxima, powers of two, and what they rescale.

#include "AttentionHead.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The columns of a head whose context is scaled only where it has to be, and
/// the exponent of 2 that a power may then have (f16 holds 15).
static constexpr int64_t kWideHead = 64;
static constexpr double kLargestExponent = 8;
/// The largest sum of a block's powers in one column of the state's, and so the
/// largest power, to a maximum that is not the block's.
static constexpr double kLargestSum = 4096;

/// 2 to the power of `factor` (`x` - `base`), `base` being one value a row.
Value TileEmitter::emitPowers(const AttentionHead &head, Value x, Value base) {
  auto type = cast<FragType>(x.getType());
  if (head.factor == 1.0)
    return map(type, {x, base}, [&](ValueRange x) -> Value {
      Value exponent = arith::SubFOp::create(b, loc, x[0], x[1]);
      return math::Exp2Op::create(b, loc, exponent, approximate());
    });
  Value offset =
      map(cast<FragType>(base.getType()), base, [&](ValueRange x) -> Value {
        return arith::MulFOp::create(b, loc, x[0], constant(-head.factor));
      });
  return map(type, {x, offset}, [&](ValueRange x) -> Value {
    Value exponent =
        math::FmaOp::create(b, loc, x[0], constant(head.factor), x[1]);
    return math::Exp2Op::create(b, loc, exponent, approximate());
  });
}

/// `maximum`, or 0 where a row has seen no key yet, whose powers are to be
/// zeros.
Value TileEmitter::emitBase(Value maximum, Masking masking) {
  if (masking != Masking::Seen)
    return maximum;
  return map(
      cast<FragType>(maximum.getType()), maximum, [&](ValueRange x) -> Value {
        Value none = constant(-std::numeric_limits<float>::infinity());
        Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                             x[0], none);
        return arith::SelectOp::create(b, loc, isNone, constant(0.0), x[0]);
      });
}

/// The state with the maxima of `top` and of before, and all else scaled to
/// them.
TileEmitter::SoftmaxState TileEmitter::emitRescaled(const AttentionHead &head,
                                                    SoftmaxState state,
                                                    Value top,
                                                    Masking masking) {
  auto rowType = cast<FragType>(state.maximum.getType());
  Value maximum =
      map(rowType, {state.maximum, top}, [&](ValueRange x) -> Value {
        return arith::MaxNumFOp::create(b, loc, x[0], x[1]);
      });
  Value decay = emitPowers(head, state.maximum, emitBase(maximum, masking));
  auto scale = [&](Value value) {
    return map(cast<FragType>(value.getType()), {value, decay},
               [&](ValueRange x) -> Value {
                 return arith::MulFOp::create(b, loc, x[0], x[1]);
               });
  };
  return {maximum, scale(state.sum), scale(state.context)};
}

/// The state that a block whose greatest scores are `top` is added to. Where
/// the context is wide it is not scaled for maxima that are a little greater:
/// powers may be above 1, and all is divided by their sum in the end.
TileEmitter::SoftmaxState TileEmitter::emitMaximum(const AttentionHead &head,
                                                   SoftmaxState state,
                                                   Value top, Masking masking) {
  if (head.paddedHeadDim < kWideHead)
    return emitRescaled(head, state, top, masking);
  Value isGreater = map(
      rowType(b.getI1Type()), {top, state.maximum}, [&](ValueRange x) -> Value {
        Value limit = arith::AddFOp::create(
            b, loc, x[1], constant(kLargestExponent / head.factor));
        return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x[0],
                                     limit);
      });
  Value any = VoteOp::create(b, loc, b.getI1Type(), VoteKind::Any, isGreater);
  auto choice =
      scf::IfOp::create(b, loc, ValueRange(state.values()).getTypes(), any,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SoftmaxState rescaled = emitRescaled(head, state, top, masking);
  scf::YieldOp::create(b, loc, rescaled.values());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, state.values());
  return SoftmaxState::get(choice.getResults());
}

/// The powers of a block of keys to the maximum of `state`, as operands, and
/// what they add up to, in the columns of the state's sum.
TileEmitter::BlockPowers TileEmitter::emitBlock(const AttentionHead &head,
                                                Value scores,
                                                const SoftmaxState &state,
                                                Masking masking) {
  Value powers = emitPowers(head, scores, emitBase(state.maximum, masking));
  SmallVector<Value> terms;
  for (int64_t column = 0; column < head.keys; column += kGroupColumns)
    terms.push_back(slice(powers, column, kGroupColumns));
  Value sum = map(cast<FragType>(state.sum.getType()), terms,
                  [&](ValueRange x) -> Value {
                    Value total = x[0];
                    for (Value term : x.drop_front(1))
                      total = arith::AddFOp::create(b, loc, total, term);
                    return total;
                  });
  if (!head.operandType.isF32())
    powers = map(fragType(rows, head.keys, head.operandType), powers,
                 [&](ValueRange x) { return narrow(x[0], head.operandType); });
  return {powers, sum};
}

/// `block` added to the sums of `state`, which it is to the maximum of.
TileEmitter::Weights TileEmitter::emitSum(SoftmaxState state,
                                          const BlockPowers &block) {
  state.sum = map(cast<FragType>(state.sum.getType()), {state.sum, block.sum},
                  [&](ValueRange x) -> Value {
                    return arith::AddFOp::create(b, loc, x[0], x[1]);
                  });
  return {state, block.powers};
}

/// What a block of keys adds. Where the maximum of the blocks before is taken
/// for that of this one as well, none is computed: sums that are too large tell
/// of scores far above it, and only then all is computed again, to theirs.
TileEmitter::Weights TileEmitter::emitWeights(const AttentionHead &head,
                                              Value scores, SoftmaxState state,
                                              Masking masking) {
  auto emitTop = [&]() -> Value {
    return RowReduceOp::create(b, loc, cast<FragType>(state.maximum.getType()),
                               Reduction::Max, scores);
  };
  if (!head.guessesMaximum) {
    state = emitMaximum(head, state, emitTop(), masking);
    return emitSum(state, emitBlock(head, scores, state, masking));
  }
  BlockPowers guess = emitBlock(head, scores, state, masking);
  Value isTooLarge =
      map(fragType(rows, kGroupColumns, b.getI1Type()), guess.sum,
          [&](ValueRange x) -> Value {
            return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                         x[0], constant(kLargestSum));
          });
  Value any = VoteOp::create(b, loc, b.getI1Type(), VoteKind::Any, isTooLarge);
  Weights guessed = emitSum(state, guess);
  auto choice =
      scf::IfOp::create(b, loc, ValueRange(guessed.values()).getTypes(), any,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  state = emitRescaled(head, state, emitTop(), masking);
  Weights again = emitSum(state, emitBlock(head, scores, state, masking));
  scf::YieldOp::create(b, loc, again.values());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, guessed.values());
  return Weights::get(choice.getResults());
}
