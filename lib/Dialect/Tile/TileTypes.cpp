// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the tile dialect: text and constraints.

#include "hk/Dialect/Tile/TileDialect.h"

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
    if (parser.parseKeyword("line"))
      return {};
    layout = FragLayout::Line;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<FragType>(parser.getContext(), shape.rows,
                                     shape.columns, shape.elementType, layout);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getRows(), getColumns(), getElementType());
  printer << (isLine() ? ", line>" : ">");
}

template <typename T> static Type parseTile(AsmParser &parser) {
  Shape shape;
  if (parser.parseLess() || parseShape(parser, shape) || parser.parseGreater())
    return {};
  return parser.getChecked<T>(parser.getContext(), shape.rows, shape.columns,
                              shape.elementType);
}

template <typename T> static void printTile(AsmPrinter &printer, T type) {
  printer << '<';
  printShape(printer, type.getRows(), type.getColumns(), type.getElementType());
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
  if (parser.parseLess() || parseShape(parser, shape) || parser.parseComma() ||
      parser.parseInteger(slots) || parser.parseGreater())
    return {};
  auto slot = parser.getChecked<BufType>(parser.getContext(), shape.rows,
                                         shape.columns, shape.elementType);
  if (!slot)
    return {};
  return parser.getChecked<ChanType>(parser.getContext(), slot, slots);
}

void ChanType::print(AsmPrinter &printer) const {
  BufType slot = getSlotType();
  printer << '<';
  printShape(printer, slot.getRows(), slot.getColumns(), slot.getElementType());
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
  return success();
}

static LogicalResult verifyBuf(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns,
                               Type elementType) {
  if (!elementType.isF32() && !elementType.isF16() &&
      !elementType.isBF16()) // (C1)
    return emitError() << "expects elements of f16, bf16 or f32, but got "
                       << elementType;
  if (rows < 8 || columns < 8 || rows % 8 != 0 || columns % 8 != 0) // (C2)
    return emitError() << "expects rows and columns that are positive "
                          "multiples of 8, but got "
                       << rows << " and " << columns;
  return success();
}

LogicalResult BufType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t rows, int64_t columns, Type elementType) {
  return verifyBuf(emitError, rows, columns, elementType);
}

int64_t BufType::getBlockBytes() const {
  int64_t row = getColumns() * getElementBytes();
  int64_t bytes = 128;
  while (row % bytes != 0)
    bytes /= 2;
  return bytes;
}

LogicalResult TilesType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t columns,
                                Type elementType) {
  return verifyBuf(emitError, rows, columns, elementType);
}

LogicalResult ChanType::verify(function_ref<InFlightDiagnostic()> emitError,
                               BufType, int64_t slots) {
  if (slots < 1) // (C1)
    return emitError() << "expects at least one slot, but got " << slots;
  return success();
}
