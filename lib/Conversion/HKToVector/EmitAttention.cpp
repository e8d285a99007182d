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

#include "KeyBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hk;

void KernelEmitter::emitAttention(AttentionOp op, const View &to) {
  AttentionBlocks at;
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
  at.tile = attentionTile(at.keys, schedule.getMr());
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

/// True for a whole block of keys of which none is masked: `whole` and, with a
/// key mask, a look at its bytes.
Value KernelEmitter::isUnmasked(const AttentionBlocks &at, Value key,
                                Value whole) {
  if (!at.mask)
    return whole;
  auto check = scf::IfOp::create(v.b, v.loc, v.b.getI1Type(), whole,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(check.thenBlock());
  auto type = VectorType::get({at.keys}, v.b.getI8Type());
  Value bytes =
      vector::LoadOp::create(v.b, v.loc, type, at.mask, ValueRange{key});
  Value all = vector::ReductionOp::create(
      v.b, v.loc, vector::CombiningKind::AND, v.isSet(bytes));
  scf::YieldOp::create(v.b, v.loc, all);
  v.b.setInsertionPointToStart(check.elseBlock());
  scf::YieldOp::create(v.b, v.loc, whole);
  return check.getResult(0);
}

/// One block of queries of one head, over all keys.
void KernelEmitter::emitAttentionBlock(const AttentionBlocks &at, Value head,
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
      SmallVector<Value> next = KeyBlock(*this, at, head, query, key, end, edge)
                                    .emit(loop.getRegionIterArgs());
      scf::YieldOp::create(v.b, v.loc, next);
    }
    v.b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(v.b, v.loc, choice.getResults());
  }
  state.assign(loop.result_begin(), loop.result_end());
  storeContext(at, head, query, state);
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
void KernelEmitter::packQueries(const AttentionBlocks &at, Value head,
                                Value query) {
  Value column = headColumn(v, at.query, head, 1, at.headDim);
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
        vectors.push_back(v.pad(x));
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
void KernelEmitter::storeContext(const AttentionBlocks &at, Value head,
                                 Value query, ValueRange state) {
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
