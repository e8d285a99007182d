// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: mma. Each fragment of B that is loaded serves all rows of
// the unit; a step in K goes over all columns of C, so that the tiles of C
// follow each other and few registers of B are live.

#include "BufAddress.h"
#include "Patterns.h"
#include "Wgmma.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hk;

namespace {

/// One mma on the registers of a lane.
class Product {
public:
  Product(Device &d, KernelInfo &info, tile::MmaOp op, ValueRange a, Value b,
          Value row, Value column, ValueRange c)
      : d(d), info(info), op(op), a(a), b(b), rowValue(row),
        columnValue(column), element(op.getA().getType().getElementType()),
        slabs(op.getA().getType().getRows() / 16),
        columns(op.getType().getColumns() / 8),
        depth(op.getA().getType().getColumns() / 8) {
    if (!c.empty()) {
      sums.assign(c.begin(), c.end());
      return;
    }
    sums.assign(slabs * columns * 4, d.f32(0));
  }

  SmallVector<Value> emit() {
    if (element.isF32())
      emitTF32();
    else
      emitHalf();
    return sums;
  }

private:
  Device &d;
  KernelInfo &info;
  tile::MmaOp op;
  ValueRange a;
  Value b, rowValue, columnValue;
  Type element;
  /// In 16 rows, 8 columns and 8 of K.
  int64_t slabs, columns, depth;
  SmallVector<Value> sums;

  BufAddress address(const LanePattern &lanes) {
    return BufAddress(d, info, op.getB().getType(), b,
                      BufOffset::get(d, info, op, 2, rowValue),
                      BufOffset::get(d, info, op, 3, columnValue), lanes);
  }

  void multiply(int64_t slab, int64_t column, ValueRange aRegisters,
                ValueRange bRegisters) {
    MutableArrayRef<Value> c =
        MutableArrayRef<Value>(sums).slice((slab * columns + column) * 4, 4);
    llvm::copy(multiplyAdd(d, element, aRegisters, bRegisters, c), c.begin());
  }

  //===--- 16-bit elements
  //-------------------------------------------------===//

  /// The addresses of `columnCount` groups of columns by `depthCount` of K, of
  /// which ldmatrix loads all matrices in this order, K first.
  BufAddress &fragments(int64_t columnCount, int64_t depthCount) {
    auto [it, isNew] =
        fragmentAddresses.try_emplace(std::make_pair(columnCount, depthCount));
    if (isNew) {
      bool isTransposed = op.getTransposeB();
      it->second = std::make_unique<BufAddress>(address(
          isTransposed ? LanePattern::matrix(depthCount, columnCount, true)
                       : LanePattern::matrix(columnCount, depthCount, false)));
    }
    return *it->second;
  }

  SmallVector<Value> loadB(int64_t column, int64_t columnCount, int64_t k,
                           int64_t depthCount) {
    BufAddress &at = fragments(columnCount, depthCount);
    bool isTransposed = op.getTransposeB();
    SmallVector<Value> words = loadMatrices(
        d, isTransposed ? at.get(8 * k, column) : at.get(8 * column, k),
        columnCount * depthCount, isTransposed);
    if (element.isF16())
      for (Value &word : words)
        word = d.bitcast(word, VectorType::get({2}, element));
    return words;
  }

  /// Registers of A of 16 rows and `count` groups of K: two each.
  SmallVector<Value> getA(int64_t slab, int64_t k, int64_t count) {
    SmallVector<Value> registers(a.slice((slab * depth + k) * 2, 2 * count));
    if (element.isBF16())
      for (Value &value : registers)
        value = d.bitcast(value, d.i32Type());
    return registers;
  }

  void emitHalf() {
    // What is left of an odd number of columns, for the next step in K.
    SmallVector<Value> ahead;
    for (int64_t k = 0; k < depth; k += 2) {
      int64_t steps = k + 1 < depth ? 2 : 1;
      int64_t column = 0;
      auto multiplyAll = [&](int64_t count, ArrayRef<Value> words) {
        for (int64_t slab = 0; slab < slabs; ++slab)
          for (int64_t i = 0; i < count; ++i)
            multiply(slab, column + i, getA(slab, k, steps),
                     words.slice(steps * i, steps));
        column += count;
      };
      // ldmatrix loads four matrices at most.
      for (int64_t count = 4 / steps; count >= 1; count /= 2) {
        bool isLast = count == 1 && steps == 2;
        while (column + count <= columns) {
          if (isLast && !ahead.empty()) {
            SmallVector<Value> words = std::move(ahead);
            ahead.clear();
            multiplyAll(1, words);
          } else if (isLast && k + 3 < depth) {
            SmallVector<Value> words = loadB(column, 1, k, 4);
            ahead.assign(words.begin() + 2, words.end());
            multiplyAll(1, ArrayRef<Value>(words).take_front(2));
          } else {
            multiplyAll(count, loadB(column, count, k, steps));
          }
        }
      }
    }
  }

  //===--- tf32
  //------------------------------------------------------------===//

  /// An f32 as tf32: its nearest, and with `split` the nearest of the rest.
  struct Split {
    Value high, low;
  };

  Split split(Value value) {
    Split result{toTF32(d, value), Value()};
    if (op.getSplit())
      result.low = toTF32(
          d, arith::SubFOp::create(d.b, d.loc, value,
                                   d.bitcast(result.high, value.getType())));
    return result;
  }

  /// Two elements of B: of column lane / 4, 2 (lane mod 4) and the next of K.
  /// The instruction wants k = lane mod 4 and k + 4; it gets its K in another
  /// order, the one that A has in its registers.
  SmallVector<Value> loadPair(int64_t column, int64_t k) {
    if (!op.getTransposeB()) {
      if (pairs.empty())
        pairs.push_back(address(LanePattern::pair(4)));
      Value both = LLVM::LoadOp::create(
          d.b, d.loc, VectorType::get({2}, element),
          sharedPointer(d, pairs[0].get(8 * column, 2 * k)), /*alignment=*/8);
      SmallVector<Value> values;
      for (int64_t i = 0; i < 2; ++i)
        values.push_back(
            LLVM::ExtractElementOp::create(d.b, d.loc, both, d.i32(i)));
      return values;
    }
    for (int64_t i = pairs.size(); i < 2; ++i)
      pairs.push_back(address(LanePattern::across(i)));
    SmallVector<Value> values;
    for (BufAddress &at : pairs)
      values.push_back(LLVM::LoadOp::create(
          d.b, d.loc, element, sharedPointer(d, at.get(8 * k, 2 * column)),
          /*alignment=*/4));
    return values;
  }

  /// A value from outside of the loop is rounded in every trip: the compiler,
  /// which would keep what it is rounded to as well, is told that it changes.
  Value forThisTrip(Value value) {
    if (op.getA().getParentBlock() == op->getBlock())
      return value;
    return d.ptx("", "=f,0", value.getType(), value, /*hasSideEffects=*/true)
        .front();
  }

  void emitTF32() {
    for (int64_t k = 0; k < depth; ++k) {
      SmallVector<Value> aHigh, aLow;
      for (int64_t slab = 0; slab < slabs; ++slab)
        // Registers of a group: (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).
        for (int64_t i : {0, 2, 1, 3}) {
          Split value = split(forThisTrip(a[(slab * depth + k) * 4 + i]));
          aHigh.push_back(value.high);
          aLow.push_back(value.low);
        }
      for (int64_t column = 0; column < columns; ++column) {
        SmallVector<Value> bHigh, bLow;
        for (Value element : loadPair(column, k)) {
          Split value = split(element);
          bHigh.push_back(value.high);
          bLow.push_back(value.low);
        }
        for (int64_t slab = 0; slab < slabs; ++slab) {
          auto high = ArrayRef<Value>(aHigh).slice(4 * slab, 4);
          if (op.getSplit()) { // the small ones first
            multiply(slab, column, ArrayRef<Value>(aLow).slice(4 * slab, 4),
                     bHigh);
            multiply(slab, column, high, bLow);
          }
          multiply(slab, column, high, bHigh);
        }
      }
    }
  }

  DenseMap<std::pair<int64_t, int64_t>, std::unique_ptr<BufAddress>>
      fragmentAddresses;
  SmallVector<BufAddress, 2> pairs;
};

struct MmaLowering : TilePattern<tile::MmaOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    ValueRange c = op.getC() ? adaptor.getC() : ValueRange();
    if (op.getWarpgroup()) {
      rewriter.replaceOpWithMultiple(
          op, {emitWarpgroupMma(d, info, op, adaptor.getA(),
                                adaptor.getB().front(),
                                adaptor.getRow().front(), c)});
      return success();
    }
    Product product(d, info, op, adaptor.getA(), adaptor.getB().front(),
                    adaptor.getRow().front(), adaptor.getColumn().front(), c);
    rewriter.replaceOpWithMultiple(op, {product.emit()});
    return success();
  }
};

} // namespace

void hk::populateMmaPatterns(const TileTypeConverter &converter,
                             RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<MmaLowering>(converter, patterns.getContext(), info);
}
