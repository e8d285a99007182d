// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in the online-softmax form (Milakov and Gimelshein, 2018; the
// blocks are FlashAttention's), with the queries in the lanes: the scores are
// S^T = K Q^T, a register of them belongs to one key and `lanes` queries, and
// the maximum and the sum over the keys are element-wise. Both products are
// the register tile of a linear operation, with the keys' or the context's
// rows as the broadcast operand; only the queries and the context are
// transposed, once each.
//
// Key blocks that every query of the block sees take the short road; the
// others ("edge" blocks: the diagonal, the end of the sequence, and blocks in
// which a key is masked) compare and select. A masked key is never read
// into a product: behind the last key nothing is read, and within a block the
// values of masked keys are copied as zeros first.

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hk;

/// What is fixed for all blocks of one attention.
struct KernelEmitter::Attention {
  mutable AttentionOp op; ///< its accessors are not const
  View query, key, value, context;
  int64_t sequence, headDim;
  int64_t registers;  ///< of queries
  int64_t queries;    ///< in a block: registers * lanes
  int64_t keys;       ///< in a block
  int64_t tile;       ///< keys in a register tile
  double scale;       ///< of the scores, towards base 2
  Value limit;        ///< no key from here on is visible
  Value mask;         ///< bytes, or null
  Value packedQuery;  ///< [headDim, queries]
  Value scores;       ///< [keys, queries]
  Value sums;         ///< [headDim, queries]: the context, not yet divided
  Value packedValues; ///< [keys, headDim], with a mask only

  bool mayOverrun(int64_t rows) const { return rows % queries != 0; }
};

/// The largest divisor of `count` up to `limit`, or, where that would waste
/// the registers, `limit` itself.
static int64_t tileOf(int64_t count, int64_t limit) {
  for (int64_t tile = std::min(count, limit); 2 * tile > limit; --tile)
    if (count % tile == 0)
      return tile;
  return std::min(count, limit);
}

void KernelEmitter::emitAttention(AttentionOp op, const View &to) {
  Attention at;
  at.op = op;
  at.query = view(op.getQuery());
  at.key = view(op.getKey());
  at.value = view(op.getValue());
  at.context = to;
  at.sequence = op.getSequenceLength();
  at.headDim = op.getHeadDim();
  at.registers = rows <= v.lanes ? 1 : 2;
  at.queries = at.registers * v.lanes;
  at.keys = std::min(schedule.getKeys(), at.sequence);
  at.tile = tileOf(at.keys, schedule.getMr());
  at.scale = op.getScaleValue() * (op.getBase2() ? 1.0 : 1.4426950408889634);
  at.limit = v.index(at.sequence);
  if (Value lengths = op.getLengths())
    at.limit = operands.arguments[cast<BlockArgument>(lengths).getArgNumber()];
  if (Value mask = op.getKeyMask())
    at.mask = operands.arguments[cast<BlockArgument>(mask).getArgNumber()];

  SmallVector<unsigned> temporaries;
  auto temporary = [&](ArrayRef<int64_t> shape) {
    auto [memref, slice] = allocate(shape);
    temporaries.push_back(slice);
    return memref;
  };
  at.packedQuery = temporary({at.headDim, at.queries});
  at.scores = temporary(
      {static_cast<int64_t>(llvm::alignTo(at.keys, at.tile)), at.queries});
  at.sums = temporary({at.headDim, at.queries});
  if (at.mask)
    at.packedValues = temporary({at.keys, at.headDim});

  forEach(op.getNumHeads(), [&](Value head) {
    int64_t whole = llvm::alignTo(rows, at.queries);
    forTiles(whole, at.queries, [&](Value query, int64_t) {
      emitAttentionBlock(at, head, query);
    });
  });
  for (unsigned slice : temporaries)
    slices[slice].inUse = false;
}

/// The first column of a head. Of keys and values, a group of heads shares one.
static Value headColumn(VectorBuilder &v, const View &view, Value head,
                        int64_t group, int64_t headDim) {
  if (group != 1)
    head = arith::DivUIOp::create(v.b, v.loc, head, v.index(group));
  return v.addIndex(v.mulIndex(head, headDim), view.firstColumn);
}

/// True for a whole block of keys of which none is masked: `whole` and, with a
/// key mask, a look at its bytes.
Value KernelEmitter::isUnmasked(const Attention &at, Value key, Value whole) {
  if (!at.mask)
    return whole;
  auto check = scf::IfOp::create(v.b, v.loc, v.b.getI1Type(), whole,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(check.thenBlock());
  auto type = VectorType::get({at.keys}, v.b.getI8Type());
  Value bytes =
      vector::LoadOp::create(v.b, v.loc, type, at.mask, ValueRange{key});
  Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type));
  Value valid =
      arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::ne, bytes, zero);
  Value all = vector::ReductionOp::create(v.b, v.loc,
                                          vector::CombiningKind::AND, valid);
  scf::YieldOp::create(v.b, v.loc, all);
  v.b.setInsertionPointToStart(check.elseBlock());
  scf::YieldOp::create(v.b, v.loc, whole);
  return check.getResult(0);
}

/// One block of queries of one head, over all keys.
void KernelEmitter::emitAttentionBlock(const Attention &at, Value head,
                                       Value query) {
  packQueries(at, head, query);
  VectorType type = v.vectorType(v.lanes);
  Value zero = v.constant(0.0, type);
  forEach(at.headDim, [&](Value d) {
    for (int64_t j = 0; j < at.registers; ++j)
      vector::StoreOp::create(v.b, v.loc, zero, at.sums,
                              ValueRange{d, v.index(j * v.lanes)});
  });

  // The keys that some query sees, and those in whole blocks that all see.
  Value first = v.addIndex(firstRow, query);
  Value end = at.limit, common = at.limit;
  if (at.op.getCausal()) {
    end = v.minIndex(end, v.addIndex(first, at.queries));
    common = v.minIndex(common, v.addIndex(first, 1));
  }
  Value wholeEnd = v.mulIndex(
      arith::DivUIOp::create(v.b, v.loc, common, v.index(at.keys)), at.keys);

  // The state: for each register of queries, the maximum and the sum so far.
  SmallVector<Value> state;
  Value lowest = v.constant(-std::numeric_limits<float>::infinity(), type);
  for (int64_t j = 0; j < at.registers; ++j)
    state.append({lowest, zero});
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.index(0), end, v.index(at.keys), state);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value key = loop.getInductionVar();
    Value whole = arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::slt,
                                        key, wholeEnd);
    Value unmasked = isUnmasked(at, key, whole);
    auto choice = scf::IfOp::create(v.b, v.loc, ValueRange(state).getTypes(),
                                    unmasked, /*withElseRegion=*/true);
    for (bool edge : {false, true}) {
      v.b.setInsertionPointToStart(edge ? choice.elseBlock()
                                        : choice.thenBlock());
      SmallVector<Value> next = emitKeyBlock(at, head, query, key, end, edge,
                                             loop.getRegionIterArgs());
      scf::YieldOp::create(v.b, v.loc, next);
    }
    v.b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(v.b, v.loc, choice.getResults());
  }
  state.assign(loop.result_begin(), loop.result_end());
  storeContext(at, head, query, state);
}

/// Whether all elements of `count` rows of `width` are finite: whether their
/// products with zero add up to zero.
Value KernelEmitter::areFinite(Value memref, Value row, Value column,
                               Value count, int64_t width) {
  VectorType type = v.vectorType(v.lanes);
  auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), count, v.index(1),
                                 v.constant(0.0, type));
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value sum = loop.getRegionIterArgs()[0];
    Value at = v.addIndex(row, loop.getInductionVar());
    for (auto [first, lanes] : chunks(width)) {
      VectorType piece = v.vectorType(lanes);
      Value x = vector::LoadOp::create(
          v.b, v.loc, piece, memref, ValueRange{at, v.addIndex(column, first)});
      if (lanes != v.lanes)
        x = vector::InsertStridedSliceOp::create(
            v.b, v.loc, x, v.constant(0.0, type), ArrayRef<int64_t>{0},
            ArrayRef<int64_t>{1});
      sum = v.fma(x, v.constant(0.0, type), sum);
    }
    scf::YieldOp::create(v.b, v.loc, sum);
  }
  return arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::OEQ,
                               v.sum(loop.getResult(0)),
                               v.constant(0.0, v.f32()));
}

/// Scores of a block of keys, their softmax so far, and their values' part of
/// the context. Returns the new state.
SmallVector<Value> KernelEmitter::emitKeyBlock(const Attention &at, Value head,
                                               Value query, Value key,
                                               Value keyEnd, bool edge,
                                               ValueRange state) {
  int64_t n = at.registers;
  VectorType type = v.vectorType(v.lanes);
  Value zero = v.constant(0.0, type);
  Value lowest = v.constant(-std::numeric_limits<float>::infinity(), type);
  int64_t group = at.op.getNumHeads() / at.op.getKVHeads();
  Value keyColumn = headColumn(v, at.key, head, group, at.headDim);
  Value valueColumn = headColumn(v, at.value, head, group, at.headDim);
  Value count = v.index(at.keys);
  if (edge)
    count = v.minIndex(count, arith::SubIOp::create(v.b, v.loc, keyEnd, key));
  Value lastKey =
      edge ? arith::SubIOp::create(v.b, v.loc, keyEnd, v.index(1)) : Value();
  auto lane = [&](int64_t j) { return v.index(j * v.lanes); };
  auto load = [&](Value memref, Value row, int64_t j) -> Value {
    return vector::LoadOp::create(v.b, v.loc, type, memref,
                                  ValueRange{row, lane(j)});
  };
  auto store = [&](Value vector, Value memref, Value row, int64_t j) {
    vector::StoreOp::create(v.b, v.loc, vector, memref,
                            ValueRange{row, lane(j)});
  };

  // The tokens of the queries, for the comparison with the key's.
  SmallVector<Value> tokens;
  if (edge && at.op.getCausal()) {
    Value first = arith::IndexCastOp::create(v.b, v.loc, v.b.getI32Type(),
                                             v.addIndex(firstRow, query));
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

  // Scores, and their maximum.
  SmallVector<Value> maxima;
  for (int64_t j = 0; j < n; ++j)
    maxima.push_back(state[2 * j]);
  auto scoreTile = [&](Value tile, int64_t m, ValueRange before) {
    SmallVector<Value> keyRows, after(before);
    for (int64_t i = 0; i < m; ++i) {
      Value row = v.addIndex(v.addIndex(key, tile), i);
      keyRows.push_back(edge ? v.minIndex(row, lastKey) : row);
    }
    SmallVector<Value> scores = emitTile(
        m, n, v.index(at.headDim),
        [&](int64_t i, Value d) {
          return loadScalar(at.key.memref, keyRows[i],
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
        if (at.mask) {
          Value byte = memref::LoadOp::create(v.b, v.loc, at.mask,
                                              ValueRange{keyRows[i]});
          visible = arith::AndIOp::create(
              v.b, v.loc, visible,
              arith::CmpIOp::create(
                  v.b, v.loc, arith::CmpIPredicate::ne, byte,
                  arith::ConstantIntOp::create(v.b, v.loc, byte.getType(), 0)));
        }
        if (at.op.getCausal())
          token = v.splat(arith::IndexCastOp::create(
                              v.b, v.loc, v.b.getI32Type(), position),
                          v.lanes);
      }
      for (int64_t j = 0; j < n; ++j) {
        Value score = scores[i * n + j];
        if (edge) {
          Value seen = v.splat(visible, v.lanes);
          if (token)
            seen = arith::AndIOp::create(
                v.b, v.loc, seen,
                arith::CmpIOp::create(v.b, v.loc, arith::CmpIPredicate::sge,
                                      tokens[j], token));
          score = v.select(seen, score, lowest);
        }
        store(score, at.scores, row, j);
        after[j] = v.max(after[j], score);
      }
    }
    return after;
  };
  {
    // In an edge block, only the tiles that have a key before the end.
    Value tileEnd = count;
    if (!edge)
      tileEnd = v.index(at.keys - at.keys % at.tile);
    auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), tileEnd,
                                   v.index(at.tile), maxima);
    {
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          v.b, v.loc,
          scoreTile(loop.getInductionVar(), at.tile, loop.getRegionIterArgs()));
    }
    maxima.assign(loop.result_begin(), loop.result_end());
    if (!edge && at.keys % at.tile != 0)
      maxima = scoreTile(tileEnd, at.keys % at.tile, maxima);
  }

  // Powers, and their sum. A query that has seen no key yet has a maximum of
  // -inf; 0 in its place keeps -inf - -inf away.
  SmallVector<Value> shifts, decays, totals;
  for (int64_t j = 0; j < n; ++j) {
    Value none = arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::OEQ,
                                       maxima[j], lowest);
    shifts.push_back(v.select(none, zero, maxima[j]));
    decays.push_back(v.exp2(v.sub(state[2 * j], shifts[j])));
    totals.push_back(v.mul(state[2 * j + 1], decays[j]));
  }
  {
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

  // Values of masked keys may be anything: they are copied as zeros.
  if (at.mask && edge) {
    auto loop = scf::ForOp::create(v.b, v.loc, v.index(0), count, v.index(1));
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value position = v.addIndex(key, row);
    Value byte =
        memref::LoadOp::create(v.b, v.loc, at.mask, ValueRange{position});
    Value valid = arith::CmpIOp::create(
        v.b, v.loc, arith::CmpIPredicate::ne, byte,
        arith::ConstantIntOp::create(v.b, v.loc, byte.getType(), 0));
    forTiles(at.headDim, v.lanes, [&](Value d, int64_t width) {
      VectorType piece = v.vectorType(width);
      Value x = vector::LoadOp::create(
          v.b, v.loc, piece, at.value.memref,
          ValueRange{position, v.addIndex(d, valueColumn)});
      x = v.select(valid, x, v.constant(0.0, piece));
      vector::StoreOp::create(v.b, v.loc, x, at.packedValues,
                              ValueRange{row, d});
    });
  }

  // The context: decayed, plus values times powers.
  bool isPacked = at.mask && edge;
  Value values = isPacked ? at.packedValues : at.value.memref;
  Value firstValue = isPacked ? v.index(0) : key;
  Value firstElement = isPacked ? v.index(0) : valueColumn;
  auto accumulate = [&](bool skipZeros) {
    forTiles(
        at.headDim, tileOf(at.headDim, schedule.getMr()),
        [&](Value d, int64_t m) {
          SmallVector<Value> sums;
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j)
              sums.push_back(
                  v.mul(load(at.sums, v.addIndex(d, i), j), decays[j]));
          sums = emitTile(
              m, n, count,
              [&](int64_t i, Value row) {
                return loadScalar(values, v.addIndex(firstValue, row),
                                  v.addIndex(v.addIndex(d, i), firstElement));
              },
              [&](int64_t j, Value row) { return load(at.scores, row, j); },
              sums, skipZeros);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j)
              store(sums[i * n + j], at.sums, v.addIndex(d, i), j);
        });
  };
  // On the diagonal some queries see a key that others do not: its power is
  // zero for those, and zero times a value that is not finite is NaN.
  if (edge && at.op.getCausal()) {
    Value finite =
        areFinite(values, firstValue, firstElement, count, at.headDim);
    auto choice =
        scf::IfOp::create(v.b, v.loc, finite, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(choice.thenBlock());
    accumulate(/*skipZeros=*/false);
    v.b.setInsertionPointToStart(choice.elseBlock());
    accumulate(/*skipZeros=*/true);
  } else {
    accumulate(/*skipZeros=*/false);
  }

  SmallVector<Value> next;
  for (int64_t j = 0; j < n; ++j)
    next.append({maxima[j], totals[j]});
  return next;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// log2(lanes) rounds of exchanges: round s swaps the lanes whose bit s is set
/// in one vector with those whose bit s is clear in its partner.
SmallVector<Value> KernelEmitter::transpose(SmallVector<Value> vectors) {
  int64_t lanes = v.lanes;
  for (int64_t step = 1; step < lanes; step *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < lanes; ++i) {
      bool set = i & step;
      low.push_back(set ? lanes + i - step : i);
      high.push_back(set ? lanes + i : i + step);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & step)
        continue;
      Value a = vectors[i], b = vectors[i | step];
      vectors[i] = vector::ShuffleOp::create(v.b, v.loc, a, b, low);
      vectors[i | step] = vector::ShuffleOp::create(v.b, v.loc, a, b, high);
    }
  }
  return vectors;
}

/// Q^T of the block, scaled. Lanes behind the last row repeat it.
void KernelEmitter::packQueries(const Attention &at, Value head, Value query) {
  Value column = headColumn(v, at.query, head, 1, at.headDim);
  VectorType type = v.vectorType(v.lanes);
  forTiles(at.headDim, v.lanes, [&](Value d, int64_t width) {
    for (int64_t j = 0; j < at.registers; ++j) {
      SmallVector<Value> vectors;
      for (int64_t i = 0; i < v.lanes; ++i) {
        Value row = v.addIndex(query, j * v.lanes + i);
        if (at.mayOverrun(rows))
          row = v.minIndex(row, v.index(rows - 1));
        Value x = vector::LoadOp::create(
            v.b, v.loc, v.vectorType(width), at.query.memref,
            ValueRange{v.addIndex(at.query.firstRow, row),
                       v.addIndex(d, column)});
        if (at.scale != 1.0)
          x = v.mul(x, v.constant(at.scale, x.getType()));
        if (width != v.lanes)
          x = vector::InsertStridedSliceOp::create(
              v.b, v.loc, x, v.constant(0.0, type), ArrayRef<int64_t>{0},
              ArrayRef<int64_t>{1});
        vectors.push_back(x);
      }
      vectors = transpose(std::move(vectors));
      for (int64_t i = 0; i < width; ++i)
        vector::StoreOp::create(
            v.b, v.loc, vectors[i], at.packedQuery,
            ValueRange{v.addIndex(d, i), v.index(j * v.lanes)});
    }
  });
}

/// The context of the block, divided by the sums of the powers. A query that
/// saw no key has a sum of zero, and gives zeros.
void KernelEmitter::storeContext(const Attention &at, Value head, Value query,
                                 ValueRange state) {
  VectorType type = v.vectorType(v.lanes);
  Value zero = v.constant(0.0, type), one = v.constant(1.0, type);
  SmallVector<Value> inverses;
  for (int64_t j = 0; j < at.registers; ++j) {
    Value total = state[2 * j + 1];
    // Not equal or not a number: NaN in the scores is NaN in the context.
    Value any = arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::UNE,
                                      total, zero);
    inverses.push_back(v.select(any, v.div(one, total), zero));
  }
  Value column = headColumn(v, at.context, head, 1, at.headDim);
  Type element = cast<MemRefType>(at.context.memref.getType()).getElementType();
  forTiles(at.headDim, v.lanes, [&](Value d, int64_t width) {
    for (int64_t j = 0; j < at.registers; ++j) {
      SmallVector<Value> vectors(v.lanes, zero);
      for (int64_t i = 0; i < width; ++i) {
        Value sums = vector::LoadOp::create(
            v.b, v.loc, type, at.sums,
            ValueRange{v.addIndex(d, i), v.index(j * v.lanes)});
        vectors[i] = v.mul(sums, inverses[j]);
      }
      vectors = transpose(std::move(vectors));
      for (int64_t i = 0; i < v.lanes; ++i) {
        Value row = v.addIndex(query, j * v.lanes + i);
        OpBuilder::InsertionGuard guard(v.b);
        if (at.mayOverrun(rows)) {
          Value inside = arith::CmpIOp::create(
              v.b, v.loc, arith::CmpIPredicate::slt, row, v.index(rows));
          auto when = scf::IfOp::create(v.b, v.loc, inside,
                                        /*withElseRegion=*/false);
          v.b.setInsertionPointToStart(when.thenBlock());
        }
        Value x = vectors[i];
        if (width != v.lanes)
          x = vector::ExtractStridedSliceOp::create(
              v.b, v.loc, x, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width},
              ArrayRef<int64_t>{1});
        vector::StoreOp::create(v.b, v.loc, v.narrow(x, element),
                                at.context.memref,
                                ValueRange{v.addIndex(at.context.firstRow, row),
                                           v.addIndex(d, column)});
      }
    }
  });
}
