// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a warp compute together.

#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hk;

/// The values combined in a few chains, and these in a tree. A chain adds
/// products in one instruction each (a tree would add two of them first), and
/// four of them keep the pipeline full.
static Value combineAll(SmallVector<Value> values,
                        function_ref<Value(Value, Value)> combine) {
  constexpr size_t kChains = 4;
  SmallVector<Value> chains(values.begin(),
                            values.begin() + std::min(kChains, values.size()));
  for (size_t i = kChains; i < values.size(); ++i)
    chains[i % kChains] = combine(chains[i % kChains], values[i]);
  for (; chains.size() > 1; chains.pop_back()) {
    Value &other = chains[(chains.size() - 1) / 2];
    other = combine(other, chains.back());
  }
  return chains[0];
}

namespace {

struct RowReduceLowering : TilePattern<tile::RowReduceOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::RowReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto frag = cast<tile::FragType>(op.getInput().getType());
    RegisterLayout layout = info.layout(frag);
    FragElements input(rewriter, op.getLoc(), layout, adaptor.getInput());
    bool isSum = op.getKind() == tile::Reduction::Add;
    auto combine = [&](Value x, Value y) -> Value {
      if (isSum)
        return arith::AddFOp::create(rewriter, op.getLoc(), x, y,
                                     arith::FastMathFlags::contract);
      return LLVM::MaxNumOp::create(rewriter, op.getLoc(), x, y);
    };
    Value neutral =
        d.f32(isSum ? 0.0 : -std::numeric_limits<float>::infinity());
    int64_t lanes = frag.isLine() ? info.lineLanes : 4;
    SmallVector<Value> results;
    for (int64_t i = 0; i < layout.rows(); ++i) {
      SmallVector<Value> values;
      for (int64_t k = 0; k < layout.columns(); ++k) {
        Value value = input.get(i, k);
        // A line has room for more columns than the frag: what a map made of
        // them does not count.
        int64_t offset = layout.columnOffset(k), run = layout.run();
        if (offset >= frag.getColumns())
          continue;
        if (offset - offset % run + run * lanes > frag.getColumns() &&
            frag.getColumns() > 1) {
          Value inside = d.lessThan(info.laneColumn(frag),
                                    d.i32(frag.getColumns() - offset));
          value = d.select(inside, value, neutral);
        }
        values.push_back(value);
      }
      Value result = combineAll(values, combine);
      if (frag.getColumns() > 1)
        for (int64_t mask = 1; mask < lanes; mask *= 2)
          result = combine(result, d.shuffleXor(result, mask));
      results.push_back(result);
    }
    rewriter.replaceOpWithMultiple(op,
                                   SmallVector<SmallVector<Value>>{results});
    return success();
  }
};

struct VoteLowering : TilePattern<tile::VoteOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::VoteOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    bool isAll = op.getKind() == tile::VoteKind::All;
    Value own =
        combineAll(llvm::to_vector(adaptor.getInput()), [&](Value x, Value y) {
          return isAll ? d.bitAnd(x, y) : d.bitOr(x, y);
        });
    rewriter.replaceOp(op, d.vote(own, isAll));
    return success();
  }
};

} // namespace

void hk::populateReducePatterns(const TileTypeConverter &converter,
                                RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<RowReduceLowering, VoteLowering>(converter,
                                                patterns.getContext(), info);
}
