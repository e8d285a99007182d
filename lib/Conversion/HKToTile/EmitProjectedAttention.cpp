// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention whose keys and values the kernel computes. A CTA owns all rows of a
// sequence: each unit computes the keys and values of its own rows, of a few
// heads, and publishes them; then they are bufs like those that come from
// memory, but all of the sequence is there at once, so that a unit reads the
// keys that its own queries see, and no unit waits for another.
//
// Where a CTA has some rows of a sequence, its units first go over the blocks
// of other rows that its queries see, as if each were their own. Its own rows
// come last, with its queries: so the rows of one block at a time are in
// registers.
//
// What a query does not see may hold NaN or infinity, and takes part in
// products with zeros. A score that is not seen is set to minus infinity,
// whatever it was, so keys do no harm. Values do. A row whose values are not
// finite is therefore published with values of zero and keys of NaN: a query
// that sees it gets NaN, and one that does not gets nothing.

#include "AttentionHead.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

Column TileEmitter::getKeyColumn(AttentionOp op, Column column) {
  ProjectedHeads heads = plan.getAttentionPlan(op).heads;
  int64_t share = op.getNumHeads() / op.getKVHeads();
  int64_t width = plan.getHeadColumns(op), keys = plan.getKeyColumns(op);
  // The blocks of heads that one block of keys is for.
  int64_t queries = heads.heads % share == 0 ? 1 : share / heads.heads;
  Value number = column.index;
  if (number && queries != 1)
    number = arith::DivUIOp::create(b, loc, number, index(queries));
  return {number, keys, column.offset / width / queries * keys};
}

Column TileEmitter::getSharedKeyColumn(AttentionOp op, Value group) {
  ProjectedHeads heads = plan.getAttentionPlan(op).heads;
  int64_t share = op.getNumHeads() / op.getKVHeads();
  if (heads.sharing < share)
    group = arith::DivUIOp::create(b, loc, group, index(share / heads.sharing));
  return {group, plan.getKeyColumns(op), 0};
}

void TileEmitter::hideRows(AttentionOp op, Value &keys, Value &values) {
  if (!op.getCausal() && !op.getMask())
    return;
  FragType type = cast<FragType>(values.getType());
  Value zeros =
      map(type.withElementType(b.getF32Type()), values, [&](ValueRange x) {
        return arith::MulFOp::create(b, loc, widen(x[0]), constant(0.0))
            .getResult();
      });
  Value sum = RowReduceOp::create(b, loc, rowType(b.getF32Type()),
                                  Reduction::Add, zeros);
  auto isWrong = [&](Value x) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  };
  Value wrong = map(rowType(b.getI1Type()), sum,
                    [&](ValueRange x) { return isWrong(x[0]); });
  Value any = VoteOp::create(b, loc, b.getI1Type(), VoteKind::Any, wrong);
  auto choice = scf::IfOp::create(
      b, loc, TypeRange{keys.getType(), values.getType()}, any,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  auto replace = [&](Value frag, double by) {
    auto type = cast<FragType>(frag.getType());
    return map(type, {frag, sum}, [&](ValueRange x) -> Value {
      Value other =
          arith::ConstantOp::create(b, loc, b.getFloatAttr(x[0].getType(), by));
      return arith::SelectOp::create(b, loc, isWrong(x[1]), other, x[0]);
    });
  };
  scf::YieldOp::create(b, loc,
                       {replace(keys, std::numeric_limits<double>::quiet_NaN()),
                        replace(values, 0.0)});
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, {keys, values});
  keys = choice.getResult(0);
  values = choice.getResult(1);
}

TileEmitter::PublishedKeys TileEmitter::publishKeys(AttentionOp op,
                                                    Column column) {
  Type element = plan.getOperandType();
  int64_t columns = plan.getKeyColumns(op);
  Value keys = evaluate(op.getKey(), column, columns, element);
  Value values = evaluate(op.getValue(), column, columns, element);
  loc = op.getLoc();
  hideRows(op, keys, values);
  if (PublishedKeys filled = filledKeys.lookup(op); filled.keys) {
    PutOp::create(b, loc, keys, filled.keys, localRow, index(0));
    PutOp::create(b, loc, values, filled.values, localRow, index(0));
    return filled;
  }
  auto type = BufType::get(schedule.getRows(), columns, element);
  auto publish = [&](Value frag) -> Value {
    return PublishOp::create(b, loc, type, frag, unitRow, index(0));
  };
  return {publish(keys), publish(values)};
}

void TileEmitter::withRowsFrom(Value first, function_ref<void()> body) {
  Value ownRow = row, ownLocalRow = localRow;
  Value firstRow = mul(sequence, plan.sequence);
  row = arith::AddIOp::create(
      b, loc, arith::AddIOp::create(b, loc, firstRow, first), unitRow);
  localRow = arith::AddIOp::create(b, loc, first, unitRow);
  auto ownBlocks = blocks;
  auto ownResidents = residents;
  blocks.clear();
  residents.clear();
  body();
  blocks = std::move(ownBlocks);
  residents = std::move(ownResidents);
  row = ownRow;
  localRow = ownLocalRow;
}

/// Calls `body` with the first row of each block of rows that is not the CTA's,
/// up to the last key that one of its queries sees.
void TileEmitter::forOtherRows(AttentionOp op, function_ref<void(Value)> body) {
  Value limit = emitKeyRange(op).limit;
  loc = op.getLoc();
  Value size = index(schedule.getRows()), none = index(0);
  Value end;
  if (op.getCausal()) {
    end = arith::MinSIOp::create(b, loc, limit, firstQuery);
  } else {
    // One less, where the CTA's own rows are among them.
    Value isAmong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          firstQuery, limit);
    Value own = arith::SelectOp::create(b, loc, isAmong, size, none);
    end = arith::SubIOp::create(b, loc, limit, own);
  }
  auto loop = scf::ForOp::create(b, loc, none, end, size);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  if (!op.getCausal()) {
    Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                           first, firstQuery);
    Value own = arith::SelectOp::create(b, loc, isBehind, size, none);
    first = arith::AddIOp::create(b, loc, first, own);
  }
  body(first);
}

void TileEmitter::publishOthers(AttentionOp op, Column column) {
  if (plan.ownsSequences())
    return;
  int64_t columns = plan.getKeyColumns(op);
  auto type =
      BufType::get(plan.getSequenceRows(), columns, plan.getOperandType());
  filledKeys[op] = {EmptyOp::create(b, loc, type),
                    EmptyOp::create(b, loc, type)};
  forOtherRows(op, [&](Value first) {
    withRowsFrom(first, [&] {
      for (Value value : plan.getResidentSources(op))
        residents[value] = computeResident(value);
      emitTogether(
          {{op.getKey(), column, columns}, {op.getValue(), column, columns}});
      publishKeys(op, column);
    });
  });
}

bool TileEmitter::isFilledFirst(AttentionOp op) {
  AttentionPlan attention = plan.getAttentionPlan(op);
  return !plan.ownsSequences() && attention.isProjected &&
         attention.heads.sharing == schedule.getHeads();
}

void TileEmitter::publishFirst() {
  for (auto op : plan.getBody().getOps<AttentionOp>())
    if (isFilledFirst(op))
      publishOthers(op, getSharedKeyColumn(op, run ? run : index(0)));
}

Value TileEmitter::emitProjectedAttention(AttentionOp op, Column column) {
  ProjectedHeads heads = plan.getAttentionPlan(op).heads;
  Type element = plan.getOperandType();
  int64_t headDim = op.getHeadDim(), columns = plan.getHeadColumns(op);
  PublishedKeys published = sharedKeys.lookup(op);
  if (!published.keys) {
    Column keys = getKeyColumn(op, column);
    int64_t keyColumns = plan.getKeyColumns(op);
    if (!isFilledFirst(op))
      publishOthers(op, keys);
    emitTogether({{op.getKey(), keys, keyColumns},
                  {op.getValue(), keys, keyColumns},
                  {op.getQuery(), column, columns}});
    published = publishKeys(op, keys);
  }
  Value queries = evaluate(op.getQuery(), column, columns, element);
  loc = op.getLoc();

  AttentionHead head = describeHead(op);
  head.split = plan.isSplit();
  head.publishedKeys = published.keys;
  head.publishedValues = published.values;
  int64_t share = op.getNumHeads() / op.getKVHeads();
  Value limit = head.limit;
  SmallVector<Value> contexts;
  for (int64_t i = 0; i < heads.heads; ++i) {
    head.limit = limit;
    head.query = slice(queries, i * headDim, headDim);
    head.publishedColumn = i / share * headDim;
    contexts.push_back(emitHead(head));
  }
  if (contexts.size() == 1)
    return contexts.front();
  return ConcatOp::create(b, loc, fragType(rows, columns, b.getF32Type()),
                          contexts);
}

void TileEmitter::forSharedKeys(AttentionOp op,
                                function_ref<void(Column, int64_t)> body) {
  ProjectedHeads heads = plan.getAttentionPlan(op).heads;
  int64_t width = plan.getHeadColumns(op), keyColumns = plan.getKeyColumns(op);
  int64_t blocksOfKeys = heads.sharing / heads.heads;
  auto forCount = [&](Value first, int64_t count,
                      function_ref<void(Value)> body) {
    if (count == 1)
      return body(first);
    auto loop = scf::ForOp::create(b, loc, first, add(first, count), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto outside = blocks;
    body(loop.getInductionVar());
    blocks = std::move(outside);
  };
  Value first = run ? run : index(0);
  int64_t groups = schedule.getHeads() / heads.sharing;
  forCount(mul(first, groups), groups, [&](Value group) {
    Column keys = getSharedKeyColumn(op, group);
    if (!isFilledFirst(op))
      publishOthers(op, keys);
    emitTogether(
        {{op.getKey(), keys, keyColumns}, {op.getValue(), keys, keyColumns}});
    sharedKeys[op] = publishKeys(op, keys);
    forCount(mul(group, blocksOfKeys), blocksOfKeys, [&](Value number) {
      body(Column{number, width, 0}, width);
    });
    sharedKeys.erase(op);
  });
}
