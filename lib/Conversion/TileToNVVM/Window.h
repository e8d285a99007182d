// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of global memory that a frag covers.

#ifndef HK_LIB_CONVERSION_TILETONVVM_WINDOW_H
#define HK_LIB_CONVERSION_TILETONVVM_WINDOW_H

#include "GlobalAccess.h"
#include "KernelInfo.h"

namespace hk {

/// The part of a matrix, or of a vector as its one row or column, that a frag
/// covers: the accesses of a lane, and which of them take place.
class Window {
public:
  Window(Device &d, const KernelInfo &info, tile::FragType frag,
         mlir::Value base, mlir::Type element)
      : layout(info.layout(frag)), d(d), element(element), pointer(base),
        laneColumn(info.laneColumn(frag)),
        span(layout.run() * (frag.isLine() ? info.lineLanes : 4)) {}

  RegisterLayout layout;
  Device &d;
  mlir::Type element;

  /// The address of the lane's first element.
  mlir::Value pointer;
  /// Bytes from a row of the frag to the next, and from a column.
  int64_t rowBytes = 0, columnBytes = 0;
  /// The rows and columns that are left from the first of the lane on (i32), or
  /// none where they are known to be there.
  mlir::Value rowsLeft, columnsLeft;
  /// Where columns come in blocks of `blockColumns` that are there or not as
  /// one, what is left from the first of the frag on, the same for all lanes.
  mlir::Value blocksLeft;
  int64_t blockColumns = 0;
  /// The columns of the frag that there are, from its first on.
  int64_t columns = 0;
  /// The first column of the lane, and the columns that the lanes of a row
  /// access together, beside each other.
  mlir::Value laneColumn;
  int64_t span;
  /// Elements of an access.
  int64_t width = 1;
  bool isInvariant = false;

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }

  /// The access of `count` elements that begins `row` rows and `column` columns
  /// after the lane's first; none where no lane has it.
  std::optional<GlobalAccess> access(int64_t row, int64_t column,
                                     int64_t count);

private:
  mlir::Value rowPredicate(int64_t row);
  mlir::Value columnPredicate(int64_t column);
  /// offset < left, which is computed once.
  mlir::Value isBefore(int64_t offset, mlir::Value left);

  mlir::DenseMap<std::pair<int64_t, mlir::Value>, mlir::Value> comparisons;
  mlir::Value staticLeft;
};

/// A frag as a window of a matrix.
struct MatrixWindow {
  const KernelInfo &info;
  mlir::Operation *op;
  tile::FragType frag;
  mlir::MemRefType type;
  mlir::Value base, row, column, rows;
  /// The column before the conversion, and its number as an operand of `op`.
  mlir::Value originalColumn;
  unsigned columnOperand;
  std::optional<int64_t> columns;

  /// What divides the first column, the columns of the matrix and those of the
  /// frag: of runs of so many, all elements are there, or none.
  int64_t divisor() const;

  /// The window of a lane; `laneColumn` is its first column, `span` those that
  /// the lanes of a row access together, where both are not the layout's own.
  Window build(Device &d, mlir::Value laneColumn = {}, int64_t span = 0) const;

private:
  int64_t stride() const { return type.getDimSize(1); }

  std::optional<int64_t> fixedColumn() const;

  /// The columns of the frag that are there, as far as that is known now.
  int64_t fixedColumns() const;
};

/// The most elements of `bytes` each, up to a run of the layout and 16 bytes,
/// that are an aligned access at every multiple of `divisor` and lie whole on
/// one side of any bound that is one.
int64_t widthFor(const RegisterLayout &layout, int64_t bytes, int64_t divisor);

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_WINDOW_H
