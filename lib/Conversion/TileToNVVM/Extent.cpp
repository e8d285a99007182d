// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a mask reaches: every warp reads the whole mask.

#include "GlobalAccess.h"
#include "IndexBound.h"
#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace hk;

/// So many reads of a warp are written out, not a loop.
static constexpr int64_t kUnrolled = 8;
/// What counts zeros is not taken of words that are zero. With another promise
/// LLVM branches on that, and no load would pass the branches.
static constexpr bool kZeroIsPoison = true;

namespace {

struct ExtentLowering : TilePattern<tile::ExtentOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::ExtentOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    // Bytes that a lane reads at once: 16 or 4 where all is aligned so.
    int64_t divisor = std::gcd(info.divisor(op, 1), info.divisor(op, 2));
    int64_t bytes = divisor % 16 == 0 ? 16 : divisor % 4 == 0 ? 4 : 1;
    int64_t step = 32 * bytes;

    Value size = d.fromIndex(adaptor.getSize());
    Value laneOffset = d.mul(info.lane, bytes);
    Value base =
        d.address(adaptor.getMask(), d.fromIndex(adaptor.getBegin()), 1);
    base = d.address(base, laneOffset, 1);
    Value left = d.sub(size, laneOffset);
    /// The extent seen by this lane in the bytes from `start` on, or `before`.
    auto scan = [&](Value address, Value start, int64_t offset, Value before) {
      Value predicate = d.lessThan(d.add(start, offset), left);
      GlobalAccess access{bytes == 1 ? rewriter.getI8Type() : d.i32Type(),
                          bytes == 16 ? 4 : 1,
                          address,
                          offset,
                          predicate,
                          info.isInvariant(op)};
      Value at = d.add(start, laneOffset);
      for (auto [i, word] : llvm::enumerate(access.loadWords(d))) {
        Value first = d.add(at, offset + 4 * i);
        before = op.getLeading() ? distanceOf(d, word, first, size, before)
                                 : extentOf(d, word, first, before);
      }
      return before;
    };

    Value extent = d.i32(0);
    // Without a loop, the loads of several extents are on their way at once.
    std::optional<int64_t> most = getUpperBound(op.getSize());
    if (most && *most <= kUnrolled * step) {
      for (int64_t at = 0; at < *most; at += step)
        extent = scan(base, d.i32(0), at, extent);
    } else {
      auto loop = scf::ForOp::create(rewriter, op.getLoc(), d.i32(0), size,
                                     d.i32(step), extent);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value start = loop.getInductionVar();
      Value next = scan(d.address(base, start, 1), start, 0,
                        loop.getRegionIterArgs()[0]);
      scf::YieldOp::create(rewriter, op.getLoc(), next);
      extent = loop.getResult(0);
    }
    extent = d.warpMax(extent);
    if (op.getLeading())
      extent = d.sub(size, extent);
    rewriter.replaceOp(op, d.toIndex(extent));
    return success();
  }

  /// How far before `size` the first byte that is zero of a word that begins at
  /// `at` is, if there is one and none was further.
  static Value distanceOf(Device &d, Value word, Value at, Value size,
                          Value before) {
    Value isZero, first = at;
    if (word.getType().isInteger(8)) {
      Value zero = arith::ConstantIntOp::create(d.b, d.loc, 0, 8);
      isZero = d.compare(arith::CmpIPredicate::eq, word, zero);
    } else {
      // A bit is set in each zero byte, and none below the first of them.
      Value borrows = d.sub(word, d.i32(0x01010101));
      Value flags = d.bitAnd(d.bitAnd(borrows, d.bitXor(word, d.i32(-1))),
                             d.i32(int32_t(0x80808080)));
      isZero = d.compare(arith::CmpIPredicate::ne, flags, d.i32(0));
      Value bits = LLVM::CountTrailingZerosOp::create(
          d.b, d.loc, d.i32Type(), flags, kZeroIsPoison);
      first = d.add(at, d.shiftRight(bits, 3));
    }
    Value distance = d.select(isZero, d.sub(size, first), before);
    return d.select(d.lessThan(before, distance), distance, before);
  }

  /// The end of the last byte that is not zero of a word that begins at `at`,
  /// if there is one, else `before`; `at` rises from call to call.
  static Value extentOf(Device &d, Value word, Value at, Value before) {
    Value zero = arith::ConstantOp::create(
        d.b, d.loc, word.getType(), d.b.getIntegerAttr(word.getType(), 0));
    Value end;
    if (word.getType().isInteger(8)) {
      end = d.add(at, 1);
    } else {
      Value zeros = LLVM::CountLeadingZerosOp::create(
          d.b, d.loc, d.i32Type(), word, kZeroIsPoison);
      end = d.sub(d.add(at, 4), d.shiftRight(zeros, 3));
    }
    Value any = d.compare(arith::CmpIPredicate::ne, word, zero);
    return d.select(any, end, before);
  }
};

} // namespace

void hk::populateExtentPatterns(const TileTypeConverter &converter,
                                RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<ExtentLowering>(converter, patterns.getContext(), info);
}
