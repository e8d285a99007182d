// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory to frags and back.

#include "GlobalAccess.h"
#include "Patterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace hk;

namespace {

/// The part of a matrix, or of a vector as its one row or column, that a frag
/// covers: the accesses of a lane, and which of them take place.
class Window {
public:
  Window(Device &d, const KernelInfo &info, tile::FragType frag, Value base,
         Type element)
      : d(d), layout(info.layout(frag)), frag(frag), info(info),
        element(element), pointer(base) {}

  Device &d;
  RegisterLayout layout;
  tile::FragType frag;
  const KernelInfo &info;
  Type element;

  /// The address of the lane's element (0, 0).
  Value pointer;
  /// Bytes from a row of the frag to the next, and from a column.
  int64_t rowBytes = 0, columnBytes = 0;
  /// What is left of rows and columns, from the lane's first on: i32, or none
  /// where they are known to be there.
  Value rowsLeft, columnsLeft;
  /// The columns of the frag that there are, from its first on.
  int64_t columns = 0;
  /// Elements of an access.
  int64_t width = 1;
  bool isInvariant = false;

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }

  /// Calls `body` for each access: of `width` elements from (i, k) on.
  /// `exists` says whether any lane has it.
  void forEach(function_ref<void(int64_t i, int64_t k, const GlobalAccess &,
                                 bool exists)>
                   body);

private:
  Value rowPredicate(int64_t i);
  /// No value: it holds for all lanes. `exists` is set to false where it holds
  /// for none.
  Value columnPredicate(int64_t k, bool &exists);

  DenseMap<int64_t, Value> rowCache, columnCache;
  Value staticLeft;
};

} // namespace

Value Window::rowPredicate(int64_t i) {
  if (!rowsLeft)
    return {};
  Value &predicate = rowCache[i];
  if (!predicate)
    predicate = d.lessThan(d.i32(layout.rowOffset(i)), rowsLeft);
  return predicate;
}

Value Window::columnPredicate(int64_t k, bool &exists) {
  exists = true;
  if (layout.columns() == 1 && frag.getColumns() == 1)
    return {};
  int64_t offset = layout.columnOffset(k);
  // The lanes of a row hold the columns from `group` on, `run` each.
  int64_t run = layout.run();
  int64_t lanes = frag.isLine() ? info.lineLanes : 4;
  int64_t group = offset - offset % run;
  if (group >= columns) {
    exists = false;
    return {};
  }
  Value predicate;
  if (group + run * lanes > columns) {
    Value &cached = columnCache[offset];
    if (!cached) {
      if (!staticLeft)
        staticLeft = d.sub(d.i32(columns), info.laneColumn(frag));
      cached = d.lessThan(d.i32(offset), staticLeft);
    }
    predicate = cached;
  }
  if (columnsLeft) {
    Value &cached = columnCache[-1 - offset];
    if (!cached)
      cached = d.lessThan(d.i32(offset), columnsLeft);
    predicate = predicate ? d.bitAnd(predicate, cached) : cached;
  }
  return predicate;
}

void Window::forEach(
    function_ref<void(int64_t, int64_t, const GlobalAccess &, bool)> body) {
  for (int64_t i = 0; i < layout.rows(); ++i) {
    for (int64_t k = 0; k < layout.columns(); k += width) {
      bool exists;
      Value column = columnPredicate(k, exists);
      Value row = exists ? rowPredicate(i) : Value();
      Value both = row && column ? d.bitAnd(row, column) : row ? row : column;
      body(i, k,
           {element, width, pointer,
            layout.rowOffset(i) * rowBytes +
                layout.columnOffset(k) * columnBytes,
            both, isInvariant},
           exists);
    }
  }
}

/// The most elements, up to `run`, that are an aligned access at every
/// multiple of `divisor` and lie whole on one side of any bound that is one.
static int64_t widthFor(int64_t run, int64_t divisor) {
  int64_t width = run;
  while (divisor % width != 0)
    width /= 2;
  return width;
}

/// A frag from a row of a matrix on. `position` is the operand number of the
/// row in `op`.
static Window matrixWindow(Device &d, const KernelInfo &info, Operation *op,
                           unsigned position, tile::FragType frag,
                           MemRefType type, Value base, Value row, Value column,
                           Value originalColumn, Value rows,
                           std::optional<int64_t> columns) {
  Window window(d, info, frag, base, type.getElementType());
  int64_t elementBytes = window.elementBytes();
  int64_t stride = type.getDimSize(1);
  window.rowBytes = stride * elementBytes;
  window.columnBytes = elementBytes;
  window.columns =
      std::min(columns.value_or(frag.getColumns()), frag.getColumns());

  Value zero = d.i32(0);
  Value laneRow = frag.getRows() == 1 ? zero : info.laneRow(frag);
  Value laneColumn = frag.getColumns() == 1 ? zero : info.laneColumn(frag);
  Value firstRow = d.add(d.fromIndex(row), laneRow);
  Value address = d.address(window.pointer, firstRow, window.rowBytes);
  if (rows)
    window.rowsLeft = d.sub(d.fromIndex(rows), firstRow);

  int64_t divisor = std::gcd(info.divisor(op, position + 1), stride);
  APInt constant;
  if (matchPattern(originalColumn, m_ConstantInt(&constant))) {
    int64_t first = constant.getSExtValue();
    window.columns = std::min(window.columns, stride - first);
    address = d.address(address, laneColumn, elementBytes);
    address = d.address(address, first * elementBytes);
  } else {
    Value firstColumn = d.add(d.fromIndex(column), laneColumn);
    address = d.address(address, firstColumn, elementBytes);
    Value left = d.sub(d.i32(stride), firstColumn);
    window.columnsLeft = left;
  }
  window.pointer = address;
  divisor = std::gcd(divisor, window.columns);
  window.width = widthFor(window.layout.run(), divisor);
  return window;
}

namespace {

struct LoadLowering : TilePattern<tile::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto frag = cast<tile::FragType>(op.getType());
    auto type = cast<MemRefType>(op.getSource().getType());
    Value base = llvm::getSingleElement(adaptor.getSource());
    Value rows = adaptor.getRows().empty() ? Value() : adaptor.getRows()[0];
    auto index = [&](unsigned i) { return adaptor.getIndices()[i][0]; };
    Window window =
        type.getRank() == 2
            ? matrixWindow(d, info, op, 1, frag, type, base, index(0), index(1),
                           op.getIndices()[1], rows, op.getColumns())
            : vectorWindow(d, op, frag, type, base, index(0), rows);
    window.isInvariant = info.isInvariant(op);

    FragAssembler assembler(rewriter, op.getLoc(), window.layout);
    Value zero =
        arith::ConstantOp::create(rewriter, op.getLoc(), window.element,
                                  rewriter.getZeroAttr(window.element));
    window.forEach(
        [&](int64_t i, int64_t k, const GlobalAccess &access, bool exists) {
          SmallVector<Value> elements(access.count, zero);
          if (exists)
            elements = access.load(d);
          for (auto [offset, element] : llvm::enumerate(elements))
            assembler.set(i, k + offset, element);
        });
    rewriter.replaceOpWithMultiple(
        op,
        SmallVector<SmallVector<Value>>{llvm::to_vector(assembler.result())});
    return success();
  }

  /// Elements from an offset on, along columns or along rows.
  Window vectorWindow(Device &d, tile::LoadOp op, tile::FragType frag,
                      MemRefType type, Value base, Value offset,
                      Value end) const {
    Window window(d, info, frag, base, type.getElementType());
    int64_t bytes = window.elementBytes();
    bool alongRows = frag.getColumns() == 1;
    Value first = d.add(d.fromIndex(offset),
                        alongRows ? info.laneRow(frag) : info.laneColumn(frag));
    window.pointer = d.address(base, first, bytes);
    (alongRows ? window.rowBytes : window.columnBytes) = bytes;
    window.columns = op.getColumns().value_or(frag.getColumns());

    // What ends the vector: its size, `rows`, or both.
    int64_t count = alongRows ? frag.getRows() : window.columns;
    int64_t divisor = info.divisor(op, 1);
    APInt constant;
    bool isFixed = matchPattern(op.getIndices()[0], m_ConstantInt(&constant));
    bool fits = !type.isDynamicDim(0) && isFixed &&
                constant.getSExtValue() + count <= type.getDimSize(0);
    Value left;
    if (!type.isDynamicDim(0) && !fits) {
      left = d.sub(d.i32(type.getDimSize(0)), first);
      divisor = std::gcd(divisor, type.getDimSize(0));
    }
    if (end) {
      Value other = d.sub(d.fromIndex(end), first);
      left = left ? d.select(d.lessThan(left, other), left, other) : other;
      divisor = std::gcd(divisor, info.divisor(op, 2));
    }
    (alongRows ? window.rowsLeft : window.columnsLeft) = left;
    divisor = std::gcd(divisor, window.columns);
    window.width = alongRows ? 1 : widthFor(window.layout.run(), divisor);
    return window;
  }
};

struct StoreLowering : TilePattern<tile::StoreOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto frag = cast<tile::FragType>(op.getValue().getType());
    auto type = cast<MemRefType>(op.getTarget().getType());
    Value rows = adaptor.getRows().empty() ? Value() : adaptor.getRows()[0];
    Window window = matrixWindow(d, info, op, 2, frag, type,
                                 llvm::getSingleElement(adaptor.getTarget()),
                                 llvm::getSingleElement(adaptor.getRow()),
                                 llvm::getSingleElement(adaptor.getColumn()),
                                 op.getColumn(), rows, op.getColumns());
    FragElements elements(rewriter, op.getLoc(), window.layout,
                          adaptor.getValue());
    window.forEach(
        [&](int64_t i, int64_t k, const GlobalAccess &access, bool exists) {
          if (!exists)
            return;
          SmallVector<Value> values;
          for (int64_t offset = 0; offset < access.count; ++offset)
            values.push_back(elements.get(i, k + offset));
          access.store(d, values);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

/// One element of a vector, the same for all threads.
struct ScalarLoadLowering : TilePattern<memref::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getMemRefType();
    if (type.getRank() != 1)
      return failure();
    Device d(rewriter, op.getLoc());
    Value address =
        d.address(adaptor.getMemref(), d.fromIndex(adaptor.getIndices()[0]),
                  type.getElementTypeBitWidth() / 8);
    GlobalAccess access{type.getElementType(), 1, address, 0, Value(),
                        info.isInvariant(op)};
    rewriter.replaceOp(op, access.load(d));
    return success();
  }
};

} // namespace

void hk::populateGlobalMemoryPatterns(const TileTypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      KernelInfo &info) {
  patterns.add<LoadLowering, StoreLowering, ScalarLoadLowering>(
      converter, patterns.getContext(), info);
}
