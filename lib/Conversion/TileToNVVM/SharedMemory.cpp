// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufs: alloc, fetch, put, and the barrier between them.

#include "BufAddress.h"
#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hk;

namespace {

struct AllocLowering : TilePattern<tile::AllocOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    rewriter.replaceOp(op, d.add(info.sharedBase, op.getOffsetAttr().getInt()));
    return success();
  }
};

struct SyncLowering : TilePattern<tile::SyncOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::SyncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Barrier 0 is for all threads, at the beginning.
    Device d(rewriter, op.getLoc());
    syncThreads(d, /*id=*/1, 32 * info.units);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The pieces of a slab in a buf, in the order of its registers: two registers
/// of f32 (two columns of a row), or of 16-bit elements four (a 16x16 tile)
/// or, at the end, two (16x8).
void forEachPiece(tile::FragType type,
                  function_ref<void(int64_t row, int64_t chunk,
                                    int64_t register_, int64_t count)>
                      visit) {
  int64_t groups = type.getColumns() / 8;
  for (int64_t r = 0; r < type.getRows() / 16; ++r) {
    if (type.getElementType().isF32()) {
      for (int64_t j = 0; j < groups; ++j)
        for (int64_t half = 0; half < 2; ++half)
          visit(16 * r + 8 * half, 2 * j, (r * groups + j) * 4 + 2 * half, 2);
      continue;
    }
    for (int64_t j = 0; j < groups; j += 2)
      visit(16 * r, j, (r * groups + j) * 2, j + 1 < groups ? 4 : 2);
  }
}

struct FetchLowering : TilePattern<tile::FetchOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::FetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    tile::FragType type = op.getType();
    Type element = type.getElementType();
    auto address = [&](const LanePattern &lanes) {
      return BufAddress(d, info, op.getSource().getType(), adaptor.getSource(),
                        BufOffset::get(d, info, op, 1, adaptor.getRow()),
                        BufOffset::get(d, info, op, 2, adaptor.getColumn()),
                        lanes);
    };
    SmallVector<Value> registers;
    if (element.isF32()) {
      BufAddress pairs = address(LanePattern::pair(4));
      Type pair = VectorType::get({2}, element);
      forEachPiece(type, [&](int64_t row, int64_t chunk, int64_t, int64_t) {
        Value value =
            LLVM::LoadOp::create(rewriter, op.getLoc(), pair,
                                 sharedPointer(d, pairs.get(row, chunk)),
                                 /*alignment=*/8);
        for (int64_t i = 0; i < 2; ++i)
          registers.push_back(LLVM::ExtractElementOp::create(
              rewriter, op.getLoc(), value, d.i32(i)));
      });
    } else {
      // The matrices of a tile are a0 to a3: rows first.
      BufAddress tiles = address(LanePattern::matrix(2, 2, true));
      std::optional<BufAddress> last;
      Type pair = VectorType::get({2}, element);
      forEachPiece(type, [&](int64_t row, int64_t chunk, int64_t,
                             int64_t count) {
        if (count == 2 && !last)
          last.emplace(address(LanePattern::matrix(2, 1, true)));
        SharedAddress at = (count == 2 ? *last : tiles).get(row, chunk);
        for (Value word : loadMatrices(d, at, count, /*isTransposed=*/false))
          registers.push_back(d.bitcast(word, pair));
      });
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct PutLowering : TilePattern<tile::PutOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::PutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    tile::FragType type = op.getValue().getType();
    ValueRange registers = adaptor.getValue();
    auto address = [&](const LanePattern &lanes) {
      return BufAddress(
          d, info, op.getTarget().getType(), adaptor.getTarget().front(),
          BufOffset::get(d, info, op, 2, adaptor.getRow().front()),
          BufOffset::get(d, info, op, 3, adaptor.getColumn().front()), lanes);
    };
    if (type.getElementType().isF32()) {
      BufAddress pairs = address(LanePattern::pair(4));
      Type pair = VectorType::get({2}, type.getElementType());
      forEachPiece(type, [&](int64_t row, int64_t chunk, int64_t first,
                             int64_t) {
        Value value = LLVM::PoisonOp::create(rewriter, op.getLoc(), pair);
        for (int64_t i = 0; i < 2; ++i)
          value = LLVM::InsertElementOp::create(rewriter, op.getLoc(), value,
                                                registers[first + i], d.i32(i));
        LLVM::StoreOp::create(rewriter, op.getLoc(), value,
                              sharedPointer(d, pairs.get(row, chunk)),
                              /*alignment=*/8);
      });
    } else if (info.target.hasStMatrix()) {
      BufAddress tiles = address(LanePattern::matrix(2, 2, true));
      std::optional<BufAddress> last;
      forEachPiece(type, [&](int64_t row, int64_t chunk, int64_t first,
                             int64_t count) {
        if (count == 2 && !last)
          last.emplace(address(LanePattern::matrix(2, 1, true)));
        SmallVector<Value> words;
        for (Value value : registers.slice(first, count))
          words.push_back(d.bitcast(value, d.i32Type()));
        storeMatrices(d, (count == 2 ? *last : tiles).get(row, chunk), words);
      });
    } else {
      // Two columns of a row: 4 bytes of a chunk.
      BufAddress words = address(LanePattern::pair(2));
      forEachPiece(
          type, [&](int64_t row, int64_t chunk, int64_t first, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
              LLVM::StoreOp::create(
                  rewriter, op.getLoc(), registers[first + i],
                  sharedPointer(d, words.get(row + i % 2 * 8, chunk + i / 2)),
                  /*alignment=*/4);
          });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hk::populateSharedMemoryPatterns(const TileTypeConverter &converter,
                                      RewritePatternSet &patterns,
                                      KernelInfo &info) {
  patterns.add<AllocLowering, SyncLowering, FetchLowering, PutLowering>(
      converter, patterns.getContext(), info);
}
