// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels: chan, acquire, commit, wait, release. A slot is full when its
// copies have arrived at its full barrier, and empty when each lane of each
// unit (or, where wgmma alone reads it, each unit) has arrived at its empty
// barrier. Both start in phase 0, so that the producer, which waits for the
// phase before, finds every slot empty at first.

#include "Patterns.h"
#include "Ring.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hk;

namespace {

struct ChanLowering : TilePattern<tile::ChanOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::ChanOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Its state and its barriers were made at the beginning of the kernel.
    rewriter.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

struct AcquireLowering : TilePattern<tile::AcquireOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::AcquireOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    const Channel &channel = info.channels.get(op.getChan());
    Ring ring(d, info, channel, channel.produced);
    Value before = d.bitXor(ring.parity(), d.i32(1));
    SharedAddress barrier = ring.empty();
    if (channel.isBulk && info.producers > 1) {
      // The first producer alone copies; the others would fall behind.
      Value isFirst =
          d.compare(arith::CmpIPredicate::eq, info.warp, d.i32(info.units));
      scf::IfOp::create(rewriter, op.getLoc(), isFirst,
                        [&](OpBuilder &builder, Location loc) {
                          Device inner(builder, loc);
                          waitForPhase(inner, info.target, barrier, before);
                          scf::YieldOp::create(builder, loc);
                        });
    } else {
      waitForPhase(d, info.target, barrier, before);
    }
    rewriter.replaceOp(op, ring.address());
    return success();
  }
};

struct CommitLowering : TilePattern<tile::CommitOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::CommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    const ChannelPlan::Transfer &transfer =
        info.channels.get(op.getOperation());
    const Channel &channel = *transfer.channel;
    Ring ring(d, info, channel, channel.produced);
    if (channel.isBulk) {
      // The first copy has arrived; bytes do the rest.
      if (transfer.bytes == 0)
        arrive(d, ring.full(), info.isFirstProducer(d));
    } else if (transfer.width < 4) {
      // Stores are ordered by an arrival of the thread itself.
      waitForCopies(d);
      arrive(d, ring.full(), Value());
    } else {
      arriveAfterCopies(d, ring.full());
    }
    ring.advance();
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitLowering : TilePattern<tile::WaitOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::WaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    const Channel &channel = info.channels.get(op.getChan());
    Ring ring(d, info, channel, channel.waited);
    waitForPhase(d, info.target, ring.full(), ring.parity());
    Value slot = ring.address();
    ring.advance();
    // wgmma reads by another proxy than threads write by. One fence does for
    // slots that are waited for one after another.
    auto next = dyn_cast_if_present<tile::WaitOp>(op->getNextNode());
    if (needsFence(channel) &&
        !(next && needsFence(info.channels.get(next.getChan()))))
      fenceProxies(d);
    rewriter.replaceOp(op, slot);
    return success();
  }

private:
  static bool needsFence(const Channel &channel) {
    return channel.feedsWarpgroups && !channel.isBulk;
  }
};

struct ReleaseLowering : TilePattern<tile::ReleaseOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(tile::ReleaseOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Device d(rewriter, op.getLoc());
    const Channel &channel = info.channels.get(op.getChan());
    Ring ring(d, info, channel, channel.released);
    if (channel.feedsWarpgroupsAlone) {
      // What the warp read was there when its wgmma ended.
      arrive(d, ring.empty(),
             d.compare(arith::CmpIPredicate::eq, info.lane, d.i32(0)));
      ring.advance();
      rewriter.eraseOp(op);
      return success();
    }
    // Each lane speaks for itself, so that its own reads are in front of its
    // own arrival. An arrival alone overtakes an ldmatrix that is still on its
    // way (seen on an H200, with two CTAs on a multiprocessor), and the slot is
    // written too early.
    fenceReads(d, info.target);
    arrive(d, ring.empty(), Value());
    ring.advance();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void hk::populateChannelPatterns(const TileTypeConverter &converter,
                                 RewritePatternSet &patterns,
                                 KernelInfo &info) {
  patterns.add<ChanLowering, AcquireLowering, CommitLowering, WaitLowering,
               ReleaseLowering>(converter, patterns.getContext(), info);
  populateCopyPatterns(converter, patterns, info);
}
