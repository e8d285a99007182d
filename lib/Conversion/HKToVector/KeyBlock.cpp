// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KeyBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;
using namespace hk;

int64_t hk::attentionTile(int64_t count, int64_t limit) {
  for (int64_t tile = std::min(count, limit); 2 * tile > limit; --tile)
    if (count % tile == 0)
      return tile;
  return std::min(count, limit);
}

Value hk::headColumn(VectorBuilder &v, const View &view, Value head,
                     int64_t group, int64_t headDim) {
  if (group != 1)
    head = arith::DivUIOp::create(v.b, v.loc, head, v.index(group));
  return v.addIndex(v.mulIndex(head, headDim), view.firstColumn);
}

KeyBlock::KeyBlock(KernelEmitter &emitter, const AttentionBlocks &at,
                   Value head, Value query, Value key, Value keyEnd, bool edge)
    : emitter(emitter), v(emitter.v), at(at), n(at.registers), edge(edge),
      key(key), keyEnd(keyEnd) {
  VectorType type = v.vectorType(v.lanes);
  zero = v.constant(0.0, type);
  lowest = v.constant(-std::numeric_limits<float>::infinity(), type);
  int64_t group = at.op.getNumHeads() / at.op.getKVHeads();
  keyColumn = headColumn(v, at.key, head, group, at.headDim);
  valueColumn = headColumn(v, at.value, head, group, at.headDim);
  count = v.index(at.keys);
  if (edge)
    count = v.minIndex(count, arith::SubIOp::create(v.b, v.loc, keyEnd, key));
  if (!edge || !at.op.getCausal())
    return;
  // The tokens of the queries, for the comparison with the key's.
  Value first = arith::IndexCastOp::create(v.b, v.loc, v.b.getI32Type(),
                                           v.addIndex(emitter.firstRow, query));
  for (int64_t j = 0; j < n; ++j) {
    SmallVector<int32_t> offsets;
    for (int64_t i = 0; i < v.lanes; ++i)
      offsets.push_back(j * v.lanes + i);
    Value steps =
        arith::ConstantOp::create(v.b, v.loc, v.b.getI32VectorAttr(offsets));
    tokens.push_back(
        arith::AddIOp::create(v.b, v.loc, v.splat(first, v.lanes), steps));
  }
}

SmallVector<Value> KeyBlock::emit(ValueRange state) {
  for (int64_t j = 0; j < n; ++j)
    maxima.push_back(state[2 * j]);
  emitScores();
  emitPowers(state);
  values = at.value.memref;
  firstValue = key;
  firstElement = valueColumn;
  if (at.mask && edge)
    copyValues();
  emitContext();
  SmallVector<Value> next;
  for (int64_t j = 0; j < n; ++j)
    next.append({maxima[j], totals[j]});
  return next;
}

Value KeyBlock::load(Value memref, Value row, int64_t j) {
  return vector::LoadOp::create(v.b, v.loc, v.vectorType(v.lanes), memref,
                                ValueRange{row, v.index(j * v.lanes)});
}

void KeyBlock::store(Value vector, Value memref, Value row, int64_t j) {
  vector::StoreOp::create(v.b, v.loc, vector, memref,
                          ValueRange{row, v.index(j * v.lanes)});
}

/// The byte of a token in the key mask.
Value KeyBlock::isValid(Value token) {
  return v.isSet(
      memref::LoadOp::create(v.b, v.loc, at.mask, ValueRange{token}));
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// The scores of the block, and the new maxima.
void KeyBlock::emitScores() {
  // In an edge block, only the tiles that have a key before the end.
  Value tileEnd = edge ? count : v.index(at.keys - at.keys % at.tile);
  auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), tileEnd,
                                 v.index(at.tile), maxima);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(v.b, v.loc,
                         emitScoreTile(loop.getInductionVar(), at.tile,
                                       loop.getRegionIterArgs()));
  }
  maxima.assign(loop.result_begin(), loop.result_end());
  if (!edge && at.keys % at.tile != 0)
    maxima = emitScoreTile(tileEnd, at.keys % at.tile, maxima);
}

/// The scores of keys [tile, tile + m) of the block. Rows behind the last key
/// repeat it, and are masked.
SmallVector<Value> KeyBlock::emitScoreTile(Value tile, int64_t m,
                                           ValueRange before) {
  SmallVector<Value> rows, after(before);
  for (int64_t i = 0; i < m; ++i) {
    Value row = v.addIndex(v.addIndex(key, tile), i);
    if (edge)
      row = v.minIndex(row,
                       arith::SubIOp::create(v.b, v.loc, keyEnd, v.index(1)));
    rows.push_back(row);
  }
  SmallVector<Value> scores = emitter.emitTile(
      m, n, v.index(at.headDim),
      [&](int64_t i, Value d) {
        return emitter.loadScalar(at.key.memref, rows[i],
                                  v.addIndex(d, keyColumn));
      },
      [&](int64_t j, Value d) { return load(at.packedQuery, d, j); },
      SmallVector<Value>(m * n, zero));
  for (int64_t i = 0; i < m; ++i) {
    Value row = v.addIndex(tile, i);
    Value visible, token;
    if (edge) {
      Value position = v.addIndex(key, row);
      visible = arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::slt,
                                      position, keyEnd);
      if (at.mask)
        visible = arith::AndIOp::create(v.b, v.loc, visible, isValid(rows[i]));
      if (at.op.getCausal())
        token = v.splat(
            arith::IndexCastOp::create(v.b, v.loc, v.b.getI32Type(), position),
            v.lanes);
    }
    for (int64_t j = 0; j < n; ++j) {
      Value score = scores[i * n + j];
      if (edge)
        score = maskScore(score, j, visible, token);
      store(score, at.scores, row, j);
      after[j] = v.max(after[j], score);
    }
  }
  return after;
}

/// -inf for the queries that do not see the key.
Value KeyBlock::maskScore(Value score, int64_t j, Value visible, Value token) {
  Value seen = v.splat(visible, v.lanes);
  if (token)
    seen = arith::AndIOp::create(
        v.b, v.loc, seen,
        arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::sge, tokens[j],
                              token));
  return v.select(seen, score, lowest);
}

/// The powers of the scores in their place, what the context so far decays by,
/// and the new sums.
void KeyBlock::emitPowers(ValueRange state) {
  // A query that has seen no key yet has a maximum of -inf; 0 in its place
  // keeps -inf - -inf away.
  SmallVector<Value> shifts;
  for (int64_t j = 0; j < n; ++j) {
    Value none = arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::OEQ,
                                       maxima[j], lowest);
    shifts.push_back(v.select(none, zero, maxima[j]));
    decays.push_back(v.exp2(v.sub(state[2 * j], shifts[j])));
    totals.push_back(v.mul(state[2 * j + 1], decays[j]));
  }
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.index(0), count, v.index(1), totals);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    SmallVector<Value> next;
    for (int64_t j = 0; j < n; ++j) {
      Value power = v.exp2(v.sub(load(at.scores, row, j), shifts[j]));
      store(power, at.scores, row, j);
      next.push_back(v.add(loop.getRegionIterArgs()[j], power));
    }
    scf::YieldOp::create(v.b, v.loc, next);
  }
  totals.assign(loop.result_begin(), loop.result_end());
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

/// Values of masked keys may be anything: they are copied as zeros.
void KeyBlock::copyValues() {
  values = at.packedValues;
  firstValue = firstElement = v.index(0);
  auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), count, v.index(1));
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value token = v.addIndex(key, row);
  Value valid = isValid(token);
  emitter.forTiles(at.headDim, v.lanes, [&](Value d, int64_t width) {
    VectorType piece = v.vectorType(width);
    Value x =
        vector::LoadOp::create(v.b, v.loc, piece, at.value.memref,
                               ValueRange{token, v.addIndex(d, valueColumn)});
    x = v.select(valid, x, v.constant(0.0, piece));
    vector::StoreOp::create(v.b, v.loc, x, at.packedValues, ValueRange{row, d});
  });
}

/// Whether all values of the block are finite: whether their products with
/// zero add up to zero.
Value KeyBlock::areFinite() {
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.index(0), count, v.index(1), zero);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value sum = loop.getRegionIterArgs()[0];
    Value row = v.addIndex(firstValue, loop.getInductionVar());
    for (auto [first, lanes] : emitter.chunks(at.headDim)) {
      Value x = vector::LoadOp::create(
          v.b, v.loc, v.vectorType(lanes), values,
          ValueRange{row, v.addIndex(firstElement, first)});
      sum = v.fma(v.pad(x), zero, sum);
    }
    scf::YieldOp::create(v.b, v.loc, sum);
  }
  return arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::OEQ,
                               v.sum(loop.getResult(0)),
                               v.constant(0.0, v.f32()));
}

/// The context: decayed, plus values times powers.
void KeyBlock::emitContext() {
  if (!edge || !at.op.getCausal()) {
    accumulate(/*skipZeros=*/false);
    return;
  }
  // On the diagonal some queries see a key that others do not: its power is
  // zero for those, and zero times a value that is not finite is NaN.
  auto choice =
      scf::IfOp::create(v.b, v.loc, areFinite(), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(choice.thenBlock());
  accumulate(/*skipZeros=*/false);
  v.b.setInsertionPointToStart(choice.elseBlock());
  accumulate(/*skipZeros=*/true);
}

void KeyBlock::accumulate(bool skipZeros) {
  int64_t step = attentionTile(at.headDim, emitter.schedule.getMr());
  emitter.forTiles(at.headDim, step, [&](Value d, int64_t m) {
    SmallVector<Value> sums;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        sums.push_back(v.mul(load(at.sums, v.addIndex(d, i), j), decays[j]));
    sums = emitter.emitTile(
        m, n, count,
        [&](int64_t i, Value row) {
          return emitter.loadScalar(values, v.addIndex(firstValue, row),
                                    v.addIndex(v.addIndex(d, i), firstElement));
        },
        [&](int64_t j, Value row) { return load(at.scores, row, j); }, sums,
        skipZeros);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        store(sums[i * n + j], at.sums, v.addIndex(d, i), j);
  });
}
