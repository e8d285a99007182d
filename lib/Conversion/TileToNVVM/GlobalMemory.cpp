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

/// Of a row, what four lanes load with 16 bytes each of 16-bit elements.
constexpr int64_t kQuadRun = 8, kQuadColumns = 4 * kQuadRun;

/// Whether a frag is a slab of pairs in blocks of `columns`.
bool isSlabOfPairs(const RegisterLayout &layout, int64_t columns) {
  tile::FragType frag = layout.type();
  return frag.getLayout() == tile::FragLayout::Slab && layout.isPacked() &&
         frag.getRows() != 1 && frag.getColumns() % columns == 0;
}

/// Whether lanes load runs of each other's columns and exchange them. Of few
/// columns there is little to gain, and of many ptxas has so many exchanges
/// under way that kernels spill.
bool isLoadedByQuads(const RegisterLayout &layout, const MatrixWindow &matrix) {
  return matrix.type.getElementType() == layout.type().getElementType() &&
         isSlabOfPairs(layout, kQuadColumns) && layout.columns() > 8 &&
         layout.size() <= 32 && matrix.divisor() % kQuadRun == 0;
}

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
    if (type.getRank() != 2)
      return loadRuns(op, vectorWindow(d, op, frag, type, base, index(0), rows),
                      rewriter);
    MatrixWindow matrix{info,
                        op,
                        frag,
                        type,
                        base,
                        index(0),
                        index(1),
                        rows,
                        op.getIndices()[1],
                        2,
                        op.getColumns()};
    if (!isLoadedByQuads(info.layout(frag), matrix))
      return loadRuns(op, matrix.build(d), rewriter);
    SmallVector<Value> registers = loadQuads(d, matrix);
    rewriter.replaceOpWithMultiple(op,
                                   SmallVector<SmallVector<Value>>{registers});
    return success();
  }

  /// What lies beside each other in the registers of a lane.
  LogicalResult loadRuns(tile::LoadOp op, Window window,
                         ConversionPatternRewriter &rewriter) const {
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
          elements = access->load(window.d);
        for (auto [offset, element] : llvm::enumerate(elements))
          assembler.set(i, k + offset, element);
      }
    }
    rewriter.replaceOpWithMultiple(
        op,
        SmallVector<SmallVector<Value>>{llvm::to_vector(assembler.result())});
    return success();
  }

  /// A slab of 16-bit elements: what the four lanes of a row have of 8 columns
  /// is half a sector of memory, and the cache looks at one row in a clock
  /// however little is wanted of it. So each lane loads 8 columns of 32, all
  /// that there are in 16 bytes, and the four of a row exchange words.
  SmallVector<Value> loadQuads(Device &d, const MatrixWindow &matrix) const {
    // Column 8t, for 2t.
    Window window = matrix.build(d, d.mul(info.slabColumn, 4), kQuadColumns);
    window.isInvariant = info.isInvariant(matrix.op);
    RegisterLayout layout = window.layout;
    Value isOdd = isSet(d, 1), isHigh = isSet(d, 2);
    SmallVector<Value> registers(layout.size());
    SmallVector<std::pair<int64_t, int64_t>> places;
    SmallVector<SmallVector<Value>> loaded;
    // All loads come first: an exchange waits for its own.
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); k += 8) {
        auto access = window.access(layout.rowOffset(i), layout.columnOffset(k),
                                    kQuadRun);
        places.push_back({i, k});
        loaded.push_back(access ? access->loadWords(d)
                                : SmallVector<Value>(4, d.i32(0)));
      }
    }
    for (auto [place, words] : llvm::zip_equal(places, loaded)) {
      transposeQuad(d, words, isOdd, isHigh);
      for (auto [block, word] : llvm::enumerate(words))
        registers[layout.place(place.first, place.second + 2 * block).index] =
            d.bitcast(word, layout.registerType());
    }
    return registers;
  }

  /// Of four lanes with four words each, lane t gets word t of each: in two
  /// steps, squares of two lanes and words, and of these again.
  static void transposeQuad(Device &d, SmallVectorImpl<Value> &words,
                            Value isOdd, Value isHigh) {
    auto exchange = [&](unsigned first, unsigned second, Value isSecond,
                        int64_t lanes) {
      Value other =
          d.shuffleXor(d.select(isSecond, words[first], words[second]), lanes);
      words[first] = d.select(isSecond, other, words[first]);
      words[second] = d.select(isSecond, words[second], other);
    };
    for (unsigned i : {0, 2})
      exchange(i, i + 1, isOdd, 1);
    for (unsigned i : {0, 1})
      exchange(i, i + 2, isHigh, 2);
  }

  /// Whether a bit of the lane's number is set.
  Value isSet(Device &d, int64_t bit) const {
    return d.compare(arith::CmpIPredicate::ne, d.bitAnd(info.lane, bit),
                     d.i32(0));
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
    window.width = alongRows ? 1 : widthFor(window.layout, bytes, divisor);
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
    if (isSlabOfPairs(layout, 16) && matrix.divisor() % 4 == 0)
      storePairs(d, matrix, layout, adaptor.getValue());
    else
      storeRuns(d, matrix, layout, adaptor.getValue());
    if (isFollowedByRows(op))
      endBlock(d, matrix.base);
    rewriter.eraseOp(op);
    return success();
  }

  /// Ends a block of code: ptxas would take the stores in it behind all that is
  /// computed until then, where nothing hides the time that they take.
  static void endBlock(Device &d, Value address) {
    d.ptx("{ .reg .pred p; setp.eq.u64 p, $0, 0; @p trap; }", "l,~{memory}", {},
          address, /*hasSideEffects=*/true);
  }

  /// Whether rows are computed behind a store, and no more products, beside
  /// which it may still take its time.
  static bool isFollowedByRows(tile::StoreOp op) {
    bool result = false;
    for (Operation *next = op->getNextNode(); next;
         next = next->getNextNode()) {
      if (isa<tile::MmaOp>(next) ||
          (next->getNumRegions() > 0 && !isa<tile::MapOp>(next)))
        return false;
      result |= isa<tile::RowReduceOp>(next);
    }
    return result;
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
