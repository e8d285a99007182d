// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory to frags and scalars, and frags to global memory.

#include "Patterns.h"
#include "Window.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace hk;

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

/// A number that the whole kernel uses, such as the length of a sequence.
struct ScalarLowering : TilePattern<memref::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    int64_t bytes = op.getType().getIntOrFloatBitWidth() / 8;
    Value address = adaptor.getMemref();
    ArrayRef<int64_t> shape = op.getMemRefType().getShape();
    int64_t stride = bytes;
    for (int64_t i = shape.size() - 1; i >= 0; --i) {
      Value index = adaptor.getIndices()[i];
      address = d.address(address, d.fromIndex(index), stride);
      if (i > 0) // Only the outermost, which comes last, may be dynamic.
        stride *= shape[i];
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
  patterns.add<LoadLowering, StoreLowering, ScalarLowering>(
      converter, patterns.getContext(), info);
}
