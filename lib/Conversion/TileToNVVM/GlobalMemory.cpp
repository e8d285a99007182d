// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory to frags and scalars, and frags to global memory.

#include "GlobalAccess.h"
#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
      : layout(info.layout(frag)), d(d), element(element), pointer(base),
        laneColumn(info.laneColumn(frag)),
        span(layout.run() * (frag.isLine() ? info.lineLanes : 4)) {}

  RegisterLayout layout;
  Device &d;
  Type element;

  /// The address of the lane's first element.
  Value pointer;
  /// Bytes from a row of the frag to the next, and from a column.
  int64_t rowBytes = 0, columnBytes = 0;
  /// The rows and columns that are left from the first of the lane on (i32), or
  /// none where they are known to be there.
  Value rowsLeft, columnsLeft;
  /// Where columns come in blocks of `blockColumns` that are there or not as
  /// one, what is left from the first of the frag on, the same for all lanes.
  Value blocksLeft;
  int64_t blockColumns = 0;
  /// The columns of the frag that there are, from its first on.
  int64_t columns = 0;
  /// The first column of the lane, and the columns that the lanes of a row
  /// access together, beside each other.
  Value laneColumn;
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
  Value rowPredicate(int64_t row);
  Value columnPredicate(int64_t column);
  /// offset < left, which is computed once.
  Value isBefore(int64_t offset, Value left);

  DenseMap<std::pair<int64_t, Value>, Value> comparisons;
  Value staticLeft;
};

} // namespace

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

/// The most elements, up to `run`, that are an aligned access at every
/// multiple of `divisor` and lie whole on one side of any bound that is one.
static int64_t widthFor(int64_t run, int64_t divisor) {
  int64_t width = run;
  while (divisor % width != 0)
    width /= 2;
  return width;
}

namespace {

/// A frag as a window of a matrix.
struct MatrixWindow {
  const KernelInfo &info;
  Operation *op;
  tile::FragType frag;
  MemRefType type;
  Value base, row, column, rows;
  /// The column before the conversion, and its number as an operand of `op`.
  Value originalColumn;
  unsigned columnOperand;
  std::optional<int64_t> columns;

  /// What divides the first column, the columns of the matrix and those of the
  /// frag: of runs of so many, all elements are there, or none.
  int64_t divisor() const {
    int64_t divisor = std::gcd(info.divisor(op, columnOperand), stride());
    return std::gcd(divisor, fixedColumns());
  }

  /// The window of a lane; `laneColumn` is its first column, `span` those that
  /// the lanes of a row access together, where both are not the layout's own.
  Window build(Device &d, Value laneColumn = {}, int64_t span = 0) const;

private:
  int64_t stride() const { return type.getDimSize(1); }

  std::optional<int64_t> fixedColumn() const {
    APInt constant;
    if (!matchPattern(originalColumn, m_ConstantInt(&constant)))
      return std::nullopt;
    return constant.getSExtValue();
  }

  /// The columns of the frag that are there, as far as that is known now.
  int64_t fixedColumns() const {
    int64_t count =
        std::min(columns.value_or(frag.getColumns()), frag.getColumns());
    std::optional<int64_t> first = fixedColumn();
    return first ? std::min(count, stride() - *first) : count;
  }
};

} // namespace

Window MatrixWindow::build(Device &d, Value laneColumn, int64_t span) const {
  Window window(d, info, frag, base, type.getElementType());
  int64_t elementBytes = window.elementBytes();
  window.rowBytes = stride() * elementBytes;
  window.columnBytes = elementBytes;
  window.columns = fixedColumns();
  window.width = widthFor(window.layout.run(), divisor());
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
    Window window = type.getRank() == 2
                        ? MatrixWindow{info,
                                       op,
                                       frag,
                                       type,
                                       base,
                                       index(0),
                                       index(1),
                                       rows,
                                       op.getIndices()[1],
                                       2,
                                       op.getColumns()}
                              .build(d)
                        : vectorWindow(d, op, frag, type, base, index(0), rows);
    window.isInvariant = info.isInvariant(op);

    const RegisterLayout &layout = window.layout;
    FragAssembler assembler(rewriter, op.getLoc(), layout);
    Value zero =
        arith::ConstantOp::create(rewriter, op.getLoc(), window.element,
                                  rewriter.getZeroAttr(window.element));
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); k += window.width) {
        SmallVector<Value> elements(window.width, zero);
        if (auto access = window.access(layout.rowOffset(i),
                                        layout.columnOffset(k), window.width))
          elements = access->load(d);
        for (auto [offset, element] : llvm::enumerate(elements))
          assembler.set(i, k + offset, element);
      }
    }
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
    MatrixWindow matrix{info,
                        op,
                        frag,
                        type,
                        llvm::getSingleElement(adaptor.getTarget()),
                        llvm::getSingleElement(adaptor.getRow()),
                        llvm::getSingleElement(adaptor.getColumn()),
                        rows,
                        op.getColumn(),
                        3,
                        op.getColumns()};
    RegisterLayout layout = info.layout(frag);
    if (!frag.isLine() && layout.isPacked() && frag.getRows() != 1 &&
        frag.getColumns() % 16 == 0 && matrix.divisor() % 4 == 0)
      storePairs(d, matrix, layout, adaptor.getValue());
    else
      storeRuns(d, matrix, layout, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }

  /// What lies beside each other in the registers of a lane.
  static void storeRuns(Device &d, const MatrixWindow &matrix,
                        const RegisterLayout &layout, ValueRange registers) {
    Window window = matrix.build(d);
    FragElements elements(d.b, d.loc, layout, registers);
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); k += window.width) {
        auto access = window.access(layout.rowOffset(i), layout.columnOffset(k),
                                    window.width);
        if (!access)
          continue;
        SmallVector<Value> values;
        for (int64_t offset = 0; offset < window.width; ++offset)
          values.push_back(elements.get(i, k + offset));
        access->store(d, values);
      }
    }
  }

  /// A slab of 16-bit elements: the four lanes of a row have 4 bytes each of 8
  /// columns, which is half a sector of memory. Two lanes exchange a register,
  /// so that one has 8 bytes of these columns, and the other of the next 8.
  void storePairs(Device &d, const MatrixWindow &matrix,
                  const RegisterLayout &layout, ValueRange registers) const {
    Value isOdd =
        d.compare(arith::CmpIPredicate::ne, d.bitAnd(info.lane, 1), d.i32(0));
    // Column 2t of the first eight, or 2 (t - 1) of the others.
    Value laneColumn =
        d.add(info.slabColumn, d.select(isOdd, d.i32(6), d.i32(0)));
    Window window = matrix.build(d, laneColumn, /*span=*/16);
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); k += 4) {
        auto access =
            window.access(layout.rowOffset(i), layout.columnOffset(k), 4);
        if (!access)
          continue;
        auto word = [&](int64_t k) {
          return d.bitcast(registers[layout.place(i, k).index], d.i32Type());
        };
        Value first = word(k), second = word(k + 2);
        Value other = d.shuffleXor(d.select(isOdd, first, second), 1);
        access->storeWords(
            d, {d.select(isOdd, other, first), d.select(isOdd, second, other)});
      }
    }
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

/// A number that the whole kernel uses, such as the length of a sequence.
struct ScalarLowering : TilePattern<memref::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    int64_t bytes = op.getType().getIntOrFloatBitWidth() / 8;
    Value address = adaptor.getMemref();
    int64_t stride = bytes;
    for (auto [index, size] : llvm::reverse(llvm::zip_equal(
             adaptor.getIndices(), op.getMemRefType().getShape()))) {
      address = d.address(address, d.fromIndex(index), stride);
      stride *= size; // the outermost alone may be dynamic
    }
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, op.getType(), address, bytes, /*isVolatile=*/false,
        /*isNonTemporal=*/false, info.isInvariant(op));
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
