// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the units of a CTA are that has several sequences, each padded to whole
// units. What depends on the sequence is the same for a unit, not for the CTA.
// Where the batch ends, units are left without a sequence: they have rows of
// zeros under the mask of the last one, take part in all that is collective,
// and touch no memory of their own.

#include "TileEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

void TileEmitter::emitPositionOfSequences(Value group) {
  const ProjectedRows &own = plan.projectedRows;
  Value unit = UnitOp::create(b, loc, b.getIndexType());
  Value ofCTA = unit;
  if (own.units > 1)
    ofCTA = arith::DivUIOp::create(b, loc, unit, index(own.units));
  firstSequence = mul(group, own.sequences);
  Value number = arith::AddIOp::create(b, loc, firstSequence, ofCTA);
  Value batch = kernel.getArguments().back();
  sequence = plan.hasWholeBatch()
                 ? number
                 : arith::MinUIOp::create(b, loc, number, add(batch, -1))
                       .getResult();

  firstQuery = index(0);
  keyRow = mul(ofCTA, own.rows);
  unitRow = mul(unit, plan.unitRows);
  localRow = own.units > 1
                 ? arith::SubIOp::create(b, loc, unitRow, keyRow).getResult()
                 : index(0);
  ctaRow = mul(firstSequence, plan.sequence);
  end = mul(batch, plan.sequence);
  if (own.rows == plan.sequence) {
    // Nothing is padded: the rows of the CTA follow each other in memory, and
    // what all units load can be copied as one block.
    row = arith::AddIOp::create(b, loc, ctaRow, unitRow);
    return;
  }
  Value firstRow = mul(number, plan.sequence);
  row = arith::AddIOp::create(b, loc, firstRow, localRow);
  end = arith::MinUIOp::create(b, loc, end, add(firstRow, plan.sequence));
}

/// Whether somebody reads a row of one of the sequences. Units agree on it: the
/// others publish with those that have something to compute.
Value TileEmitter::emitIsOneRead(Value mask) {
  int64_t sequences = plan.projectedRows.sequences;
  Value batch = kernel.getArguments().back();
  if (cast<MemRefType>(mask.getType()).getElementType().isInteger(8)) {
    Value count = index(sequences * plan.sequence);
    if (!plan.hasWholeBatch()) {
      Value left =
          arith::SubIOp::create(b, loc, mul(batch, plan.sequence), ctaRow);
      count = arith::MinUIOp::create(b, loc, left, count);
    }
    Value extent = ExtentOp::create(b, loc, b.getIndexType(), mask, ctaRow,
                                    count, /*leading=*/false);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, extent,
                                 index(0));
  }
  Value longest, last = add(batch, -1);
  for (int64_t i = 0; i < sequences; ++i) {
    Value number = add(firstSequence, i);
    if (!plan.hasWholeBatch())
      number = arith::MinUIOp::create(b, loc, number, last);
    Value length = memref::LoadOp::create(b, loc, mask, ValueRange{number});
    longest = longest
                  ? arith::MaxSIOp::create(b, loc, longest, length).getResult()
                  : length;
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, longest,
                               arith::ConstantIntOp::create(b, loc, 0, 32));
}

/// Rows of padded sequences do not follow each other in memory, so
/// tile-residency would find no block of rows that it could copy for all units.
Value TileEmitter::streamInput(Value value, Column column, int64_t columns) {
  Type element = plan.getOperandType();
  const ProjectedRows &own = plan.projectedRows;
  std::optional<MemoryView> view = memory(value);
  bool isPadded = keyRow && own.rows != plan.sequence;
  if (!isPadded || !view || view->getElementType() != element)
    return evaluate(value, column, columns, element);
  auto type = BufType::get(schedule.getRows(), padColumns(columns), element);
  Value buf = StageOp::create(
      b, loc, type, view->memref,
      ValueRange{ctaRow, at(column + view->firstColumn)},
      mul(kernel.getArguments().back(), plan.sequence),
      type.getColumns() != columns ? b.getI64IntegerAttr(columns)
                                   : IntegerAttr(),
      b.getDenseI64ArrayAttr({plan.sequence, own.rows}));
  return FetchOp::create(b, loc, fragType(rows, columns, element), buf, unitRow,
                         index(0));
}

/// Whether the products of attention may be those of warpgroups: not where a
/// warpgroup has rows of several sequences, whose keys differ.
bool TileEmitter::multipliesTogether() {
  return schedule.getMma() != MmaKind::Sync &&
         (!keyRow || plan.projectedRows.hasWarpgroups());
}

/// The row of what the CTA publishes that holds row `row` of the sequence.
Value TileEmitter::publishedRow(Value row) {
  return keyRow ? arith::AddIOp::create(b, loc, keyRow, row).getResult() : row;
}
