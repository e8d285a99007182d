// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every lane does to its own registers.

#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hk;

/// Replaces `op`, whose result is a frag, by the registers.
static LogicalResult replaceByRegisters(Operation *op,
                                        ConversionPatternRewriter &rewriter,
                                        ArrayRef<Value> registers) {
  rewriter.replaceOpWithMultiple(
      op, SmallVector<SmallVector<Value>>{llvm::to_vector(registers)});
  return success();
}

namespace {

/// The region is copied for every element that a lane holds; of a computation
/// that is the same for a row or a column, one copy is left by CSE.
struct MapLowering : TilePattern<tile::MapOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RegisterLayout layout = info.layout(op.getType());
    SmallVector<FragElements> inputs;
    for (auto [input, registers] :
         llvm::zip_equal(op.getInputs(), adaptor.getInputs()))
      inputs.emplace_back(rewriter, loc, info.layout(input.getType()),
                          registers);
    Block &body = op.getBody().front();
    auto yield = cast<tile::YieldOp>(body.getTerminator());
    // A result that is rounded to 16 bits is rounded in pairs.
    Value result = yield.getValue();
    auto round = result.getDefiningOp<arith::TruncFOp>();
    if (round && layout.isPacked() && round->getBlock() == &body &&
        round.getIn().getType().isF32())
      result = round.getIn();

    FragAssembler assembler(rewriter, loc, layout);
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); ++k) {
        IRMapping mapping;
        for (auto [argument, input] :
             llvm::zip_equal(body.getArguments(), inputs))
          mapping.map(argument, input.get(i, k));
        for (Operation &inner : body.without_terminator())
          if (!(inner.getNumResults() == 1 && round == &inner &&
                result != round.getResult() && round->hasOneUse()))
            rewriter.clone(inner, mapping);
        assembler.set(i, k, mapping.lookupOrDefault(result));
      }
    }
    return replaceByRegisters(op, rewriter, assembler.result());
  }
};

struct SplatLowering : TilePattern<tile::SplatOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RegisterLayout layout = info.layout(op.getType());
    Value value = adaptor.getValue();
    if (layout.isPacked()) {
      Device d(rewriter, op.getLoc());
      Value both =
          LLVM::PoisonOp::create(rewriter, op.getLoc(), layout.registerType());
      for (int64_t half = 0; half < 2; ++half)
        both = LLVM::InsertElementOp::create(rewriter, op.getLoc(), both, value,
                                             d.i32(half));
      value = both;
    }
    return replaceByRegisters(op, rewriter,
                              SmallVector<Value>(layout.size(), value));
  }
};

struct SliceLowering : TilePattern<tile::SliceOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::SliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RegisterLayout from = info.layout(op.getInput().getType()),
                   to = info.layout(op.getType());
    SmallVector<Value> registers(to.size());
    int64_t first = op.getColumn() / 4; // a lane has every fourth
    for (int64_t i = 0; i < to.rows(); ++i)
      for (int64_t k = 0; k < to.columns(); ++k)
        registers[to.place(i, k).index] =
            adaptor.getInput()[from.place(i, first + k).index];
    return replaceByRegisters(op, rewriter, registers);
  }
};

struct ConcatLowering : TilePattern<tile::ConcatOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::ConcatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RegisterLayout to = info.layout(op.getType());
    SmallVector<Value> registers(to.size());
    int64_t first = 0;
    for (auto [input, values] :
         llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
      RegisterLayout from = info.layout(input.getType());
      for (int64_t i = 0; i < to.rows(); ++i)
        for (int64_t k = 0; k < from.columns(); ++k)
          registers[to.place(i, first + k).index] =
              values[from.place(i, k).index];
      first += from.columns();
    }
    return replaceByRegisters(op, rewriter, registers);
  }
};

struct RowIndexLowering : TilePattern<tile::RowIndexOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::RowIndexOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto frag = cast<tile::FragType>(op.getType());
    RegisterLayout layout = info.layout(frag);
    Value first = d.fromIndex(adaptor.getBase());
    if (frag.getRows() != 1)
      first = d.add(first, info.laneRow(frag));
    SmallVector<Value> registers;
    for (int64_t i = 0; i < layout.rows(); ++i)
      registers.push_back(d.add(first, layout.rowOffset(i)));
    return replaceByRegisters(op, rewriter, registers);
  }
};

/// A causal row keeps the keys up to its own, and to the last one: how many
/// those are from the lane's first column on is computed once for a row; what
/// differs from element to element is a constant to compare with.
struct MaskLowering : TilePattern<tile::MaskOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::MaskOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    auto frag = cast<tile::FragType>(op.getType());
    RegisterLayout layout = info.layout(frag);
    FragElements scores(rewriter, op.getLoc(), layout, adaptor.getScores());
    Value column =
        d.add(d.fromIndex(llvm::getSingleElement(adaptor.getColumn())),
              info.laneColumn(frag));
    Value keysLeft;
    if (op.getKeys())
      keysLeft =
          d.sub(d.fromIndex(llvm::getSingleElement(adaptor.getKeys())), column);
    SmallVector<Value> rowsLeft(layout.rows());
    if (op.getCausal()) {
      Value row = d.add(d.fromIndex(llvm::getSingleElement(adaptor.getRow())),
                        info.laneRow(frag));
      Value own = d.sub(row, column);
      for (int64_t i = 0; i < layout.rows(); ++i) {
        Value left = d.add(own, layout.rowOffset(i) + 1); // key <= query
        if (keysLeft)
          left = d.select(d.lessThan(keysLeft, left), keysLeft, left);
        rowsLeft[i] = left;
      }
    }
    // What holds for a column holds for all rows.
    SmallVector<Value> columns(layout.columns());
    for (int64_t k = 0; k < layout.columns(); ++k) {
      if (keysLeft && !op.getCausal())
        columns[k] = d.lessThan(d.i32(layout.columnOffset(k)), keysLeft);
      if (op.getSeen()) {
        FragElements seen(rewriter, op.getLoc(),
                          info.layout(op.getSeen().getType()),
                          adaptor.getSeen());
        Value value = seen.get(0, k);
        Value zero =
            arith::ConstantOp::create(rewriter, op.getLoc(), value.getType(),
                                      rewriter.getZeroAttr(value.getType()));
        Value isSeen = d.compare(arith::CmpIPredicate::ne, value, zero);
        columns[k] = columns[k] ? d.bitAnd(columns[k], isSeen) : isSeen;
      }
    }
    Value none = d.f32(-std::numeric_limits<float>::infinity());
    FragAssembler assembler(rewriter, op.getLoc(), layout);
    for (int64_t i = 0; i < layout.rows(); ++i) {
      for (int64_t k = 0; k < layout.columns(); ++k) {
        Value keep = columns[k];
        if (rowsLeft[i]) {
          Value isBefore =
              d.lessThan(d.i32(layout.columnOffset(k)), rowsLeft[i]);
          keep = keep ? d.bitAnd(keep, isBefore) : isBefore;
        }
        assembler.set(i, k, d.select(keep, scores.get(i, k), none));
      }
    }
    return replaceByRegisters(op, rewriter, assembler.result());
  }
};

} // namespace

void hk::populateMapPatterns(const TileTypeConverter &converter,
                             RewritePatternSet &patterns, KernelInfo &info) {
  patterns.add<MapLowering, SplatLowering, SliceLowering, ConcatLowering,
               RowIndexLowering, MaskLowering>(converter, patterns.getContext(),
                                               info);
}
