// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in the online-softmax form (Milakov and Gimelshein, 2018), a block
// of keys at a time as in FlashAttention (Dao et al., 2022). A unit has its
// rows of queries of one head; keys and values come through shared memory and
// serve all units of the CTA. Keys behind the last one that some query of the
// CTA sees are not read. Blocks of keys that all queries see are not compared.
// They come before the blocks of the diagonal and of the end, or behind them.
//
// What a query does not see may hold NaN, and takes part in products with
// zeros: EmitExactAttention.cpp.
//
// The maximum of a row is that of a block before, or of the block itself: where
// it grows by little, what was summed up is not scaled again, and where there
// are many blocks, most do not look for theirs (EmitSoftmax.cpp). The sum of a
// row is kept in eight columns, those of a group of the accumulator, so that
// lanes add up once, at the end.

#include "AttentionHead.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The warps that multiply together.
static constexpr int64_t kWarpgroup = 4;
/// The blocks of keys of a sequence from which on it pays that they take the
/// maximum of those before them, with the code that this needs.
static constexpr int64_t kManyBlocks = 4;

/// The keys that the queries of the CTA see, or, where it has several
/// sequences, those of the unit.
TileEmitter::KeyRange TileEmitter::emitKeyRange(AttentionOp op) {
  KeyRange &range = keyRanges[op];
  if (range.limit)
    return range;
  Value size = index(plan.sequence);
  range.limit = size;
  if (Value mask = op.getKeyMask()) {
    auto extent = [&](bool leading) -> Value {
      return ExtentOp::create(b, loc, b.getIndexType(), argument(mask),
                              mul(sequence, plan.sequence), size, leading);
    };
    range.limit = extent(/*leading=*/false);
    range.leading = extent(/*leading=*/true);
  } else if (Value lengths = op.getLengths()) {
    Value length =
        memref::LoadOp::create(b, loc, argument(lengths), ValueRange{sequence});
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
    length = arith::MaxSIOp::create(b, loc, length, zero);
    length = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
    range.limit = arith::MinSIOp::create(b, loc, length, size);
  }
  if (op.getCausal() && !keyRow)
    range.limit = arith::MinSIOp::create(b, loc, range.limit,
                                         add(firstQuery, schedule.getRows()));
  if (!range.leading)
    range.leading = range.limit;
  return range;
}

/// The scores of the unit's queries with the keys from `from` on, which `keys`
/// holds from `row` on.
Value TileEmitter::emitScores(const AttentionHead &head, Value keys, Value row,
                              Value from, Masking masking) {
  auto type = fragType(rows, head.keys, b.getF32Type());
  Value scores = MmaOp::create(b, loc, type, head.query, keys, row,
                               index(head.publishedColumn), /*c=*/Value(),
                               /*transpose_b=*/false, head.split);
  if (head.scale != head.factor)
    scores = map(type, scores, [&](ValueRange x) -> Value {
      return arith::MulFOp::create(b, loc, x[0], constant(head.scale));
    });
  if (masking == Masking::None)
    return scores;
  if (masking == Masking::Diagonal) {
    int64_t last = kWarpgroup * rows, first = head.keys - last;
    auto lastType = fragType(rows, last, b.getF32Type());
    Value masked = MaskOp::create(b, loc, lastType, slice(scores, first, last),
                                  localRow, add(from, first), /*keys=*/Value(),
                                  /*seen=*/Value(), head.op.getCausalAttr());
    return ConcatOp::create(b, loc, type,
                            ValueRange{slice(scores, 0, first), masked});
  }
  Value seen;
  if (masking == Masking::Seen)
    seen = LoadOp::create(
        b, loc, fragType(1, head.keys, b.getI8Type()), head.mask,
        ValueRange{arith::AddIOp::create(b, loc, head.firstRow, from)},
        head.endRow, IntegerAttr());
  return MaskOp::create(b, loc, type, scores, localRow, from, head.limit, seen,
                        head.op.getCausalAttr());
}

/// Takes a block of keys into the state, those from `from` on. The bufs hold
/// them from `row` on.
TileEmitter::SoftmaxState TileEmitter::emitKeyBlock(const AttentionHead &head,
                                                    Value keys, Value values,
                                                    Value row, Value from,
                                                    SoftmaxState state,
                                                    Masking masking) {
  Value scores = emitScores(head, keys, row, from, masking);
  Weights weights = emitWeights(head, scores, state, masking);
  state = weights.state;
  state.context = MmaOp::create(b, loc, cast<FragType>(state.context.getType()),
                                weights.powers, values, row,
                                index(head.publishedColumn), state.context,
                                /*transpose_b=*/true, head.split);
  return state;
}

/// The first row of the unit or, where warps multiply together, of its
/// warpgroup: in its sequence.
Value TileEmitter::emitFirstRow() {
  if (!multipliesTogether())
    return localRow;
  Value unit = UnitOp::create(b, loc, b.getIndexType());
  Value group = arith::DivUIOp::create(b, loc, unit, index(kWarpgroup));
  Value first = mul(group, kWarpgroup * rows);
  return keyRow ? arith::SubIOp::create(b, loc, first, keyRow).getResult()
                : arith::AddIOp::create(b, loc, firstQuery, first).getResult();
}

/// The row after the last of these.
Value TileEmitter::emitLastRow() {
  return add(emitFirstRow(), multipliesTogether() ? kWarpgroup * rows : rows);
}

/// Takes the keys of a block on the diagonal that rows of the warpgroup see:
/// the whole block, where only the last rows do not see all of it, or as many
/// keys at a time as the warpgroup has rows.
TileEmitter::SoftmaxState TileEmitter::emitKeyParts(const AttentionHead &head,
                                                    Value keys, Value values,
                                                    Value from, Value end,
                                                    SoftmaxState state,
                                                    Masking masking) {
  AttentionHead part = head;
  part.keys = kWarpgroup * rows;
  Value last = emitLastRow(), next = add(from, head.keys);
  Value most = arith::MinSIOp::create(b, loc, last, head.limit);
  most = arith::MinSIOp::create(b, loc, most, head.leading);
  Value isWhole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, next, most);
  auto choice =
      scf::IfOp::create(b, loc, ValueRange(state.values()).getTypes(), isWhole,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SoftmaxState whole = emitKeyBlock(head, keys, values, index(0), from, state,
                                    Masking::Diagonal);
  scf::YieldOp::create(b, loc, whole.values());

  b.setInsertionPointToStart(choice.elseBlock());
  end = arith::MinSIOp::create(b, loc, end, last);
  end = arith::MinSIOp::create(b, loc, end, next);
  auto loop =
      scf::ForOp::create(b, loc, from, end, index(part.keys), state.values());
  scf::YieldOp::create(b, loc, loop.getResults());
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Value row = arith::SubIOp::create(b, loc, first, from);
  state = emitKeyBlock(part, keys, values, row, first,
                       SoftmaxState::get(loop.getRegionIterArgs()), masking);
  scf::YieldOp::create(b, loc, state.values());
  return SoftmaxState::get(choice.getResults());
}

/// Takes the keys of [begin, end) into the state, a block at a time.
TileEmitter::SoftmaxState TileEmitter::emitKeyLoop(const AttentionHead &head,
                                                   Value begin, Value end,
                                                   SoftmaxState state,
                                                   Masking masking) {
  auto loop =
      scf::ForOp::create(b, loc, begin, end, index(head.keys), state.values());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value from = loop.getInductionVar();
  state = SoftmaxState::get(loop.getRegionIterArgs());
  if (head.publishedKeys) {
    state = emitKeyBlock(head, head.publishedKeys, head.publishedValues,
                         publishedRow(from), from, state, masking);
    scf::YieldOp::create(b, loc, state.values());
    return SoftmaxState::get(loop.getResults());
  }

  auto type = BufType::get(head.keys, head.paddedHeadDim, head.operandType);
  Value first = arith::AddIOp::create(b, loc, head.firstRow, from);
  auto stage = [&](const MemoryView &view) -> Value {
    Value column = at({head.group, head.headDim, view.firstColumn});
    return StageOp::create(b, loc, type, view.memref, ValueRange{first, column},
                           head.endRow, b.getI64IntegerAttr(head.headDim),
                           DenseI64ArrayAttr());
  };
  Value keys = stage(head.key), values = stage(head.value);

  // Of the blocks on its diagonal, a CTA of more rows than keys has some that
  // lie behind all queries of a unit, or of a warpgroup; of a block of more
  // keys than a warpgroup has rows, some part does.
  bool isDiagonal = masking != Masking::None && head.op.getCausal();
  if (isDiagonal && multipliesTogether() && head.keys > kWarpgroup * rows &&
      head.keys % (kWarpgroup * rows) == 0) {
    state = emitKeyParts(head, keys, values, from, end, state, masking);
    scf::YieldOp::create(b, loc, state.values());
    return SoftmaxState::get(loop.getResults());
  }
  bool maySkip =
      isDiagonal && schedule.getRows() > head.keys && rows < schedule.getRows();
  if (!maySkip) {
    state = emitKeyBlock(head, keys, values, index(0), from, state, masking);
    scf::YieldOp::create(b, loc, state.values());
    return SoftmaxState::get(loop.getResults());
  }
  Value isSeen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, from,
                                       emitLastRow());
  auto check =
      scf::IfOp::create(b, loc, ValueRange(state.values()).getTypes(), isSeen,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToStart(check.thenBlock());
  SoftmaxState taken =
      emitKeyBlock(head, keys, values, index(0), from, state, masking);
  scf::YieldOp::create(b, loc, taken.values());
  b.setInsertionPointToStart(check.elseBlock());
  scf::YieldOp::create(b, loc, state.values());
  b.setInsertionPointAfter(check);
  scf::YieldOp::create(b, loc, check.getResults());
  return SoftmaxState::get(loop.getResults());
}

/// The context divided by the sums; zeros in rows that see no key.
Value TileEmitter::emitContext(const AttentionHead &head, SoftmaxState state) {
  auto rowType = cast<FragType>(state.maximum.getType());
  Value sum = RowReduceOp::create(b, loc, rowType, Reduction::Add, state.sum);
  bool mayBeEmpty = head.op.getMask() != nullptr;
  Value factor = map(rowType, sum, [&](ValueRange x) -> Value {
    Value one = constant(1.0);
    Value inverse = arith::DivFOp::create(b, loc, one, x[0], approximate());
    if (!mayBeEmpty)
      return inverse;
    Value zero = constant(0.0);
    Value isEmpty =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x[0], zero);
    return arith::SelectOp::create(b, loc, isEmpty, zero, inverse);
  });
  return map(cast<FragType>(state.context.getType()), {state.context, factor},
             [&](ValueRange x) -> Value {
               return arith::MulFOp::create(b, loc, x[0], x[1]);
             });
}

/// What is the same for all heads.
TileEmitter::AttentionHead TileEmitter::describeHead(AttentionOp op) {
  AttentionHead h;
  h.op = op;
  h.operandType = plan.getOperandType();
  h.keys = plan.getKeys(op);
  h.headDim = op.getHeadDim();
  h.paddedHeadDim = padColumns(h.headDim);
  h.scale = op.getScaleValue() * (op.getBase2() ? 1.0 : 1.4426950408889634);
  h.factor = h.scale > 0 ? h.scale : 1.0;
  h.mask = op.getKeyMask() ? argument(op.getKeyMask()) : Value();
  KeyRange range = emitKeyRange(op);
  h.limit = range.limit;
  h.leading = range.leading;
  h.firstRow = mul(sequence, plan.sequence);
  h.endRow = arith::AddIOp::create(b, loc, h.firstRow, h.limit);
  return h;
}

Value TileEmitter::emitAttentionBlock(AttentionOp op, Value head) {
  AttentionHead h = describeHead(op);
  h.number = head;
  h.queryView = memory(op.getQuery());
  h.key = *memory(op.getKey());
  h.value = *memory(op.getValue());
  h.operandType = h.key.getElementType();
  h.split = plan.isSplit() && h.operandType.isF32();
  int64_t share = op.getNumHeads() / op.getKVHeads();
  h.group = head;
  if (share != 1)
    h.group = arith::DivUIOp::create(b, loc, head, index(share));
  h.query =
      evaluate(op.getQuery(), {head, h.headDim, 0}, h.headDim, h.operandType);
  return emitHead(h);
}

Value TileEmitter::emitHead(AttentionHead &h) {
  AttentionOp op = h.op;
  // Published keys are there for each unit alone.
  bool isOfUnit = h.publishedKeys != nullptr;
  if (isOfUnit && op.getCausal())
    h.limit = arith::MinSIOp::create(b, loc, h.limit, emitLastRow());
  SoftmaxState state;
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value lowest = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  Type f32 = b.getF32Type();
  state.maximum = SplatOp::create(b, loc, rowType(f32), lowest);
  state.sum = SplatOp::create(b, loc, fragType(rows, kGroupColumns, f32), zero);
  state.context =
      SplatOp::create(b, loc, fragType(rows, h.paddedHeadDim, f32), zero);

  // Whole blocks are those that every query sees all keys of. The first CTA of
  // a sequence has none if it is causal.
  Value whole = index(0);
  bool isFirst = isOfUnit ? plan.getSequenceRows() <= h.keys
                          : plan.sequence <= schedule.getRows();
  bool hasWhole = !(op.getCausal() && isFirst && h.keys > 1);
  if (hasWhole) {
    Value common = arith::MinSIOp::create(b, loc, h.leading, h.limit);
    if (op.getCausal())
      common = arith::MinSIOp::create(
          b, loc, common, add(isOfUnit ? emitFirstRow() : firstQuery, 1));
    whole = mul(arith::DivUIOp::create(b, loc, common, index(h.keys)), h.keys);
  }
  // Where whole blocks take the maximum of those before them, the others come
  // first: under a causal mask, a row that is not padding has one at least.
  bool guesses = multipliesTogether() && plan.sequence >= kManyBlocks * h.keys;
  if (hasWhole && !guesses)
    state = emitKeyLoop(h, index(0), whole, state, Masking::None);
  bool isWhole =
      !op.getCausal() && !op.getMask() && plan.sequence % h.keys == 0;
  if (h.mask)
    state = emitMaskedLoop(h, whole, state);
  else if (!isWhole)
    state = emitKeyLoop(h, whole, h.limit, state, Masking::Ends);
  if (hasWhole && guesses)
    state = emitWholeBlocks(h, whole, state);
  Value context = emitContext(h, state);
  // Where a block may hold keys that some query does not see, what the others
  // hold has been multiplied by zeros.
  return !isOfUnit && (op.getCausal() || h.mask) ? emitGuard(h, context)
                                                 : context;
}

/// The blocks up to `end`, which take the maximum of those before them. Where
/// there may be none, the first has a loop of its own.
TileEmitter::SoftmaxState
TileEmitter::emitWholeBlocks(const AttentionHead &head, Value end,
                             SoftmaxState state) {
  Value begin = index(0);
  if (!head.op.getCausal()) {
    Value second = arith::MinSIOp::create(b, loc, end, index(head.keys));
    state = emitKeyLoop(head, begin, second, state, Masking::None);
    begin = second;
  }
  AttentionHead guessing = head;
  guessing.guessesMaximum = true;
  return emitKeyLoop(guessing, begin, end, state, Masking::None);
}

/// The blocks from `begin` on under a key mask. Most masks are a prefix, and
/// then no byte of them has to be looked at.
TileEmitter::SoftmaxState TileEmitter::emitMaskedLoop(const AttentionHead &head,
                                                      Value begin,
                                                      SoftmaxState state) {
  Value isPrefix = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         head.leading, head.limit);
  auto check = scf::IfOp::create(b, loc, ValueRange(state.values()).getTypes(),
                                 isPrefix, /*addThenBlock=*/true,
                                 /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, masking] : {std::pair(check.thenBlock(), Masking::Ends),
                                std::pair(check.elseBlock(), Masking::Seen)}) {
    b.setInsertionPointToStart(block);
    SoftmaxState taken = emitKeyLoop(head, begin, head.limit, state, masking);
    scf::YieldOp::create(b, loc, taken.values());
  }
  return SoftmaxState::get(check.getResults());
}
