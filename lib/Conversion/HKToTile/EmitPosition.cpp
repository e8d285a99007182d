// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a CTA and its units are: which sequence, which rows, which run of
// columns or heads.

#include "TileEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// Digits of the number of the CTA: sequence, block of rows, run of columns.
void TileEmitter::emitPosition() {
  Value rest = ItemOp::create(b, loc, b.getIndexType());
  auto takeDigit = [&](int64_t base) -> Value {
    if (base == 1)
      return {};
    Value digit = arith::RemUIOp::create(b, loc, rest, index(base));
    rest = arith::DivUIOp::create(b, loc, rest, index(base));
    return digit;
  };
  int64_t blocks = llvm::divideCeil(plan.sequence, schedule.getRows());
  Value block;
  if (schedule.getPersistent())
    rest = emitItemsOfCTA(blocks, block);
  run = takeDigit(plan.runs);
  if (schedule.getRowBlocks() == 2)
    block = emitPairOfBlocks(takeDigit(llvm::divideCeil(blocks, 2)), blocks);
  else if (!schedule.getPersistent())
    block = takeDigit(blocks);
  // The last rows see the most keys: the longest work begins first.
  if (block && schedule.getRowBlocks() == 1 &&
      llvm::any_of(plan.getBody().getOps<AttentionOp>(),
                   [](AttentionOp op) { return op.getCausal(); }))
    block = arith::SubIOp::create(b, loc, index(blocks - 1), block);
  if (plan.projectedRows.sequences > 1)
    return emitPositionOfSequences(rest);
  sequence = rest;
  Value firstRow = mul(sequence, plan.sequence);
  firstQuery = block ? mul(block, schedule.getRows()) : index(0);
  ctaRow =
      block ? arith::AddIOp::create(b, loc, firstRow, firstQuery) : firstRow;
  end = add(firstRow, plan.sequence);
  unitRow = mul(UnitOp::create(b, loc, b.getIndexType()), plan.unitRows);
  localRow =
      block ? arith::AddIOp::create(b, loc, firstQuery, unitRow) : unitRow;
  row = arith::AddIOp::create(b, loc, ctaRow, unitRow);
}

/// The number of a block, in a loop over the two that are the `pair`-th from
/// the end and from the beginning (null: 0), or over the one in the middle.
Value TileEmitter::emitPairOfBlocks(Value pair, int64_t blocks) {
  if (blocks == 1)
    return {};
  Value first = pair ? pair : index(0);
  Value last = arith::SubIOp::create(b, loc, index(blocks - 1), first);
  Value isPair =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, first, last);
  Value count = arith::SelectOp::create(b, loc, isPair, index(2), index(1));
  auto loop = scf::ForOp::create(b, loc, index(0), count, index(1));
  b.setInsertionPointToStart(loop.getBody());
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       loop.getInductionVar(), index(0));
  return arith::SelectOp::create(b, loc, isLast, last, first);
}

/// A loop over what a persistent CTA does: blocks of rows of runs of sequences
/// (runs of heads or of columns, that is). `block` is the number of the block;
/// what comes back is the number of the run.
///
/// CTAs take items in turns, in the order of their numbers and back, so that
/// two turns give each of them as much, although the blocks of a run differ.
/// First come all blocks of some runs, one run after another: CTAs that need
/// the same keys need them at about the same time. Then come the runs of the
/// last two to four turns, the longest blocks of all first, so that all end
/// together.
Value TileEmitter::emitItemsOfCTA(int64_t blocks, Value &block) {
  Type type = b.getIndexType();
  auto plus = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto minus = [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(b, loc, x, y);
  };
  auto over = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, loc, x, y);
  };
  auto modulo = [&](Value x, Value y) -> Value {
    return arith::RemUIOp::create(b, loc, x, y);
  };
  auto isBelow = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value cta = ItemOp::create(b, loc, type);
  Value ctas = CtasOp::create(b, loc, type);
  // Where the CTA is in a turn, and how many turns of so many items it has.
  auto place = [&](Value turn) {
    Value isForth = isBelow(modulo(turn, index(2)), index(1));
    return select(isForth, cta, minus(add(ctas, -1), cta));
  };
  auto turnsOf = [&](Value items) {
    Value whole = over(items, ctas);
    Value isInLast = isBelow(place(whole), modulo(items, ctas));
    return plus(whole, select(isInLast, index(1), index(0)));
  };
  Value runs = mul(kernel.getArguments().back(), plan.runs);
  Value twoTurns = mul(ctas, 2);
  Value most = over(mul(runs, blocks), twoTurns);
  most = add(arith::MaxUIOp::create(b, loc, most, index(1)), -1);
  Value early =
      over(arith::MulIOp::create(b, loc, most, twoTurns), index(blocks));
  Value late = minus(runs, early);
  Value turns = turnsOf(mul(early, blocks));
  Value count = plus(turns, turnsOf(mul(late, blocks)));

  auto loop = scf::ForOp::create(b, loc, index(0), count, index(1));
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value isEarly = isBelow(number, turns);
  Value turn = select(isEarly, number, minus(number, turns));
  Value item = plus(arith::MulIOp::create(b, loc, turn, ctas), place(turn));
  auto choice = scf::IfOp::create(b, loc, TypeRange{type, type}, isEarly,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(
      b, loc,
      ValueRange{over(item, index(blocks)), modulo(item, index(blocks))});
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(
      b, loc, ValueRange{plus(early, modulo(item, late)), over(item, late)});
  block = blocks > 1 ? choice.getResult(1) : Value();
  return choice.getResult(0);
}

/// Whether somebody reads one of the CTA's rows, where that is in question.
Value TileEmitter::emitIsRead() {
  VariantOp variant = plan.variant;
  std::optional<uint64_t> skip = variant.getSkipRows();
  if (!skip)
    return {};
  Value mask = argument(plan.getBody().getArgument(*skip));
  if (plan.projectedRows.sequences > 1)
    return emitIsOneRead(mask);
  Type element = cast<MemRefType>(mask.getType()).getElementType();
  if (element.isInteger(8)) {
    Value count = index(schedule.getRows());
    if (!plan.hasWholeRows()) {
      Value left = arith::SubIOp::create(b, loc, end, ctaRow);
      count = arith::MinUIOp::create(b, loc, left, count);
    }
    Value extent =
        ExtentOp::create(b, loc, b.getIndexType(), mask, ctaRow, count,
                         /*leading=*/false);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, extent,
                                 index(0));
  }
  Value length = memref::LoadOp::create(b, loc, mask, ValueRange{sequence});
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::slt,
      arith::IndexCastOp::create(b, loc, b.getI32Type(), firstQuery), length);
}

/// The rows of a unit, at once; where rows are streamed, as many at a time as a
/// frag has.
void TileEmitter::emitRows(function_ref<void()> body) {
  if (!plan.isStream)
    return body();
  Value outerRow = row, outerLocalRow = localRow, outerEnd = end;
  if (plan.unitRows % rows != 0) // The last frag reaches into the next unit.
    end = arith::MinUIOp::create(b, loc, end, add(row, plan.unitRows));
  if (plan.unitRows > rows) {
    auto loop = scf::ForOp::create(b, loc, index(0),
                                   index(llvm::divideCeil(plan.unitRows, rows)),
                                   index(1));
    b.setInsertionPointToStart(loop.getBody());
    Value offset = mul(loop.getInductionVar(), rows);
    row = arith::AddIOp::create(b, loc, row, offset);
    localRow = arith::AddIOp::create(b, loc, localRow, offset);
  }
  body();
  row = outerRow;
  localRow = outerLocalRow;
  end = outerEnd;
  blocks.clear();
}
