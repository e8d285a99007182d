// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the tile dialect: text and constraints.

#include "hk/Dialect/Tile/TileDialect.h"

#include "hk/Dialect/Strips.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
struct Shape {
  int64_t rows = 0;
  int64_t columns = 0;
  Type elementType;
  /// Of a tile of shared memory: the order of rows and columns.
  int64_t stripRows = 8, stripColumns = 8;
};
} // namespace

/// `RxCxT`.
static ParseResult parseShape(AsmParser &parser, Shape &shape) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> sizes;
  if (parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                /*withTrailingX=*/true) ||
      parser.parseType(shape.elementType))
    return failure();
  if (sizes.size() != 2)
    return parser.emitError(where)
           << "expects rows and columns, but got " << sizes.size() << " sizes";
  shape.rows = sizes[0];
  shape.columns = sizes[1];
  return success();
}

static void printShape(AsmPrinter &printer, int64_t rows, int64_t columns,
                       Type elementType) {
  printer << rows << 'x' << columns << 'x' << elementType;
}

Type FragType::parse(AsmParser &parser) {
  Shape shape;
  if (parser.parseLess() || parseShape(parser, shape))
    return {};
  FragLayout layout = FragLayout::Slab;
  if (succeeded(parser.parseOptionalComma())) {
    layout = FragLayout::Line;
    if (succeeded(parser.parseOptionalKeyword("strip16")))
      layout = FragLayout::Strip16;
    else if (succeeded(parser.parseOptionalKeyword("strip32")))
      layout = FragLayout::Strip32;
    else if (parser.parseKeyword("line"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<FragType>(parser.getContext(), shape.rows,
                                     shape.columns, shape.elementType, layout);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getRows(), getColumns(), getElementType());
  if (getLayout() != FragLayout::Slab)
    printer << ", " << stringifyFragLayout(getLayout());
  printer << '>';
}

/// `RxCxT`, then `, strip_rows = W` and `, strip_columns = W` where W is not 8.
/// True for `isOpen` if another comma follows.
static ParseResult parseTile(AsmParser &parser, Shape &shape, bool &isOpen) {
  if (parseShape(parser, shape))
    return failure();
  isOpen = succeeded(parser.parseOptionalComma());
  auto parseStrip = [&](StringRef keyword, int64_t &strip) -> ParseResult {
    if (!isOpen || failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parser.parseEqual() || parser.parseInteger(strip))
      return failure();
    isOpen = succeeded(parser.parseOptionalComma());
    return success();
  };
  if (parseStrip("strip_rows", shape.stripRows))
    return failure();
  return parseStrip("strip_columns", shape.stripColumns);
}

template <typename T> static Type parseTile(AsmParser &parser) {
  Shape shape;
  bool isOpen;
  if (parser.parseLess() || parseTile(parser, shape, isOpen))
    return {};
  if (isOpen) {
    parser.emitError(parser.getCurrentLocation())
        << "expects strip_rows = W, strip_columns = W or both in this order";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<T>(parser.getContext(), shape.rows, shape.columns,
                              shape.elementType, shape.stripRows,
                              shape.stripColumns);
}

template <typename T> static void printInside(AsmPrinter &printer, T type) {
  printShape(printer, type.getRows(), type.getColumns(), type.getElementType());
  if (type.getStripRows() != 8)
    printer << ", strip_rows = " << type.getStripRows();
  if (type.getStripColumns() != 8)
    printer << ", strip_columns = " << type.getStripColumns();
}

template <typename T> static void printTile(AsmPrinter &printer, T type) {
  printer << '<';
  printInside(printer, type);
  printer << '>';
}

Type BufType::parse(AsmParser &parser) { return parseTile<BufType>(parser); }
void BufType::print(AsmPrinter &printer) const { printTile(printer, *this); }

Type TilesType::parse(AsmParser &parser) {
  return parseTile<TilesType>(parser);
}
void TilesType::print(AsmPrinter &printer) const { printTile(printer, *this); }

Type ChanType::parse(AsmParser &parser) {
  Shape shape;
  int64_t slots = 0;
  bool isOpen;
  if (parser.parseLess() || parseTile(parser, shape, isOpen) ||
      (!isOpen && parser.parseComma()) || parser.parseInteger(slots) ||
      parser.parseGreater())
    return {};
  auto slot = parser.getChecked<BufType>(parser.getContext(), shape.rows,
                                         shape.columns, shape.elementType,
                                         shape.stripRows, shape.stripColumns);
  if (!slot)
    return {};
  return parser.getChecked<ChanType>(parser.getContext(), slot, slots);
}

void ChanType::print(AsmPrinter &printer) const {
  printer << '<';
  printInside(printer, getSlotType());
  printer << ", " << getSlots() << '>';
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

LogicalResult FragType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, Type elementType,
                               FragLayout layout) {
  if (!elementType.isF32() && !elementType.isF16() && !elementType.isBF16() &&
      !elementType.isInteger(1) && !elementType.isInteger(8) &&
      !elementType.isInteger(32)) // (C1)
    return emitError() << "expects elements of f32, f16, bf16, i1, i8 or i32, "
                          "but got "
                       << elementType;
  if (rows < 1 || columns < 1) // (C3)
    return emitError() << "expects positive sizes, but got " << rows << " and "
                       << columns;
  if (layout == FragLayout::Slab &&
      ((rows != 1 && rows % 16 != 0) ||
       (columns != 1 && columns % 8 != 0))) // (C2)
    return emitError() << "expects rows of 1 or a multiple of 16 and columns "
                          "of 1 or a multiple of 8, but got "
                       << rows << " and " << columns;
  int64_t strip = getStripWidth(layout);
  if (strip > 8 &&
      ((rows != 1 && rows % 16 != 0) || columns % strip != 0)) // (C2)
    return emitError() << "expects rows of 1 or a multiple of 16 and columns "
                          "of a multiple of "
                       << strip << " in a strip, but got " << rows << " and "
                       << columns;
  return success();
}

static LogicalResult verifyBuf(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, Type elementType,
                               int64_t stripRows, int64_t stripColumns) {
  if (!elementType.isF32() && !elementType.isF16() &&
      !elementType.isBF16()) // (C1)
    return emitError() << "expects elements of f16, bf16 or f32, but got "
                       << elementType;
  if (rows < 8 || columns < 8 || rows % 8 != 0 || columns % 8 != 0) // (C2)
    return emitError() << "expects rows and columns that are positive "
                          "multiples of 8, but got "
                       << rows << " and " << columns;
  if (!areStrips(stripRows, rows) || !areStrips(stripColumns, columns)) // (C3)
    return emitError() << "expects strips of 8, 16 or 32 that divide rows and "
                          "columns, but got strips of "
                       << stripRows << " of " << rows << " rows and of "
                       << stripColumns << " of " << columns << " columns";
  return success();
}

LogicalResult BufType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t rows, int64_t columns, Type elementType,
                              int64_t stripRows, int64_t stripColumns) {
  return verifyBuf(emitError, rows, columns, elementType, stripRows,
                   stripColumns);
}

int64_t BufType::getBlockBytes() const {
  int64_t row = getColumns() * getElementBytes();
  int64_t bytes = 128;
  while (row % bytes != 0)
    bytes /= 2;
  return bytes;
}

LogicalResult TilesType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t columns, Type elementType,
                                int64_t stripRows, int64_t stripColumns) {
  return verifyBuf(emitError, rows, columns, elementType, stripRows,
                   stripColumns);
}

LogicalResult ChanType::verify(function_ref<InFlightDiagnostic()> emitError,
                               BufType, int64_t slots) {
  if (slots < 1) // (C1)
    return emitError() << "expects at least one slot, but got " << slots;
  return success();
}
