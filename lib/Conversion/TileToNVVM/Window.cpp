// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Window.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace hk;

Value Window::isBefore(int64_t offset, Value left) {
  Value &result = comparisons[{offset, left}];
  if (!result)
    result = d.lessThan(d.i32(offset), left);
  return result;
}

Value Window::rowPredicate(int64_t row) {
  return rowsLeft ? isBefore(row, rowsLeft) : Value();
}

Value Window::columnPredicate(int64_t column) {
  if (layout.type().getColumns() == 1)
    return {};
  // Those of all lanes begin at `first`.
  int64_t first = column - column % layout.run();
  Value fixed, dynamic;
  if (first + span > columns) {
    if (!staticLeft)
      staticLeft = d.sub(d.i32(columns), laneColumn);
    fixed = isBefore(column, staticLeft);
  }
  if (blocksLeft)
    dynamic = isBefore(first / blockColumns * blockColumns, blocksLeft);
  else if (columnsLeft)
    dynamic = isBefore(column, columnsLeft);
  return fixed && dynamic ? d.bitAnd(fixed, dynamic) : fixed ? fixed : dynamic;
}

std::optional<GlobalAccess> Window::access(int64_t row, int64_t column,
                                           int64_t count) {
  if (column - column % layout.run() >= columns)
    return std::nullopt;
  Value inRow = rowPredicate(row), inColumn = columnPredicate(column);
  Value predicate = inRow && inColumn ? d.bitAnd(inRow, inColumn)
                    : inRow           ? inRow
                                      : inColumn;
  return GlobalAccess{element,   count,
                      pointer,   row * rowBytes + column * columnBytes,
                      predicate, isInvariant};
}

int64_t hk::widthFor(const RegisterLayout &layout, int64_t bytes,
                     int64_t divisor) {
  constexpr int64_t kMostBytes = 16; // of an access of a lane
  int64_t width = std::min(layout.run(), kMostBytes / bytes);
  while (divisor % width != 0)
    width /= 2;
  return width;
}

int64_t MatrixWindow::divisor() const {
  int64_t divisor = std::gcd(info.divisor(op, columnOperand), stride());
  return std::gcd(divisor, fixedColumns());
}

std::optional<int64_t> MatrixWindow::fixedColumn() const {
  APInt constant;
  if (!matchPattern(originalColumn, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

int64_t MatrixWindow::fixedColumns() const {
  int64_t count =
      std::min(columns.value_or(frag.getColumns()), frag.getColumns());
  std::optional<int64_t> first = fixedColumn();
  return first ? std::min(count, stride() - *first) : count;
}

Window MatrixWindow::build(Device &d, Value laneColumn, int64_t span) const {
  Window window(d, info, frag, base, type.getElementType());
  int64_t elementBytes = window.elementBytes();
  window.rowBytes = stride() * elementBytes;
  window.columnBytes = elementBytes;
  window.columns = fixedColumns();
  window.width = widthFor(window.layout, elementBytes, divisor());
  if (laneColumn) {
    window.laneColumn = laneColumn;
    window.span = span;
  }

  // A dimension of size 1 begins with the same element for all lanes.
  Value firstRow = d.fromIndex(row);
  if (frag.getRows() != 1)
    firstRow = d.add(firstRow, info.laneRow(frag));
  if (frag.getColumns() == 1)
    window.laneColumn = d.i32(0);
  Value address = d.address(base, firstRow, window.rowBytes);
  if (rows)
    window.rowsLeft = d.sub(d.fromIndex(rows), firstRow);
  if (std::optional<int64_t> first = fixedColumn()) {
    address = d.address(address, window.laneColumn, elementBytes);
    window.pointer = d.address(address, *first * elementBytes);
    return window;
  }
  Value firstColumn = d.fromIndex(column);
  Value lane = d.add(firstColumn, window.laneColumn);
  window.pointer = d.address(address, lane, elementBytes);
  int64_t block = std::gcd(info.divisor(op, columnOperand), stride());
  if (block % window.span == 0) {
    window.blockColumns = block;
    window.blocksLeft = d.sub(d.i32(stride()), firstColumn);
  } else {
    window.columnsLeft = d.sub(d.i32(stride()), lane);
  }
  return window;
}
