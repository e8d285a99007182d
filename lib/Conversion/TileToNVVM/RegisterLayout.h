// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a frag a lane holds, and in which registers.

#ifndef HK_LIB_CONVERSION_TILETONVVM_REGISTERLAYOUT_H
#define HK_LIB_CONVERSION_TILETONVVM_REGISTERLAYOUT_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk {

/// The elements that a lane holds are a grid of `rows()` by `columns()`.
/// Element (i, k) of the grid is element (lane row + rowOffset(i), lane column
/// + columnOffset(k)) of the frag, where the lane row and column are
///
/// | layout | lane row | lane column |
/// |---|---|---|
/// | slab | lane / 4 | 2 (lane mod 4) |
/// | strip of W | lane / 4 | W / 4 (lane mod 4) |
/// | line, L lanes a row | lane / L | 4 (lane mod L) |
///
/// and 0 in a dimension of size 1, which all lanes hold alike.
class RegisterLayout {
public:
  /// A register: its number and, of a pair, which of the two.
  struct Place {
    int64_t index;
    int64_t half;
  };

  /// `lineLanes` is L, the lanes of a row in the line layout.
  RegisterLayout(tile::FragType type, int64_t lineLanes);

  /// The lanes of a row that `columns` columns need: the least power of two
  /// that leaves four columns to a lane, and at most a warp.
  static int64_t lanesFor(int64_t columns);

  int64_t rows() const { return rowCount; }
  int64_t columns() const { return columnCount; }
  int64_t rowOffset(int64_t i) const;
  int64_t columnOffset(int64_t k) const;

  /// As many columns in sequence as lie beside each other in memory, 1, 2, 4
  /// or 8.
  int64_t run() const {
    return columnCount == 1 ? 1 : isLine ? 4 : frag.getStrip() / 4;
  }
  /// Whether a register is a pair of columns, vector<2xT>.
  bool isPacked() const { return packed; }
  /// The number of registers.
  int64_t size() const;
  mlir::Type registerType() const;
  /// Where element (i, k) of the grid is.
  Place place(int64_t i, int64_t k) const;

  tile::FragType type() const { return frag; }

private:
  tile::FragType frag;
  bool isLine, packed;
  int64_t lanes;
  int64_t rowCount, columnCount;
};

/// The registers of a frag as elements of the grid.
class FragElements {
public:
  FragElements(mlir::OpBuilder &builder, mlir::Location loc,
               const RegisterLayout &layout, mlir::ValueRange registers)
      : b(builder), loc(loc), layout(layout), registers(registers) {}

  /// Element (i, k); in a dimension of size 1 any number is that of its one
  /// element.
  mlir::Value get(int64_t i, int64_t k) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  RegisterLayout layout;
  mlir::ValueRange registers;
};

/// The registers of a frag, computed element by element in the order of
/// rising k within i.
class FragAssembler {
public:
  FragAssembler(mlir::OpBuilder &builder, mlir::Location loc,
                const RegisterLayout &layout)
      : b(builder), loc(loc), layout(layout), registers(layout.size()) {}

  /// Sets element (i, k). Of a pair, both have to be given, the even one
  /// first. A value of f32 for a frag of f16 or bf16 is rounded, both of a pair
  /// in one instruction.
  void set(int64_t i, int64_t k, mlir::Value value);
  mlir::ArrayRef<mlir::Value> result() const { return registers; }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  RegisterLayout layout;
  mlir::SmallVector<mlir::Value> registers;
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_REGISTERLAYOUT_H
