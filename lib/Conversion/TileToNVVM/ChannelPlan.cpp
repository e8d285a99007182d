// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChannelPlan.h"

#include "IndexBound.h"
#include "KernelInfo.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace hk;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LogicalResult ChannelPlan::addChannel(tile::ChanOp op,
                                      const GPUTarget &target) {
  if (!op.getOffsetAttr() || !op.getBarriersAttr())
    return op.emitOpError() << "expects offsets of its slots and its barriers "
                               "(of tile-allocate), but got none";
  auto channel = std::make_unique<Channel>();
  channel->isBulk = op.getTransport() == tile::Transport::Bulk;
  if (channel->isBulk && !target.hasBulkCopy())
    return op.emitOpError() << "expects sm_90 or later for bulk copies, but "
                               "got sm_"
                            << target.sm;
  tile::ChanType type = op.getType();
  channel->slots = type.getSlots();
  channel->slotBytes = type.getSlotStride();
  channel->offset = op.getOffsetAttr().getInt();
  channel->barriers = op.getBarriersAttr().getInt();
  channels.insert({op.getResult(), std::move(channel)});
  return success();
}

/// Whether the copy ends before the last column of the memref.
static bool isInside(tile::CopyOp op) {
  auto memref = dyn_cast<MemRefType>(op.getSource().getType());
  if (!memref)
    return true;
  int64_t columns = op.getSlot().getType().getColumns();
  if (auto limit = op.getColumnsAttr())
    columns = limit.getInt();
  std::optional<int64_t> column = getUpperBound(op.getIndices()[1]);
  return column && *column + columns <= memref.getShape().back();
}

/// The bytes to which all rows of a copy are aligned, here and there.
static int64_t getCopyWidth(tile::CopyOp op, const KernelInfo &info) {
  constexpr int64_t kMost = 16;
  auto memref = dyn_cast<MemRefType>(op.getSource().getType());
  if (!memref)
    return kMost;
  tile::BufType slot = op.getSlot().getType();
  int64_t element = slot.getElementBytes();
  int64_t aligned =
      std::gcd(memref.getShape().back() * element, slot.getColumns() * element);
  // The column is the second index. 0 is a multiple of all.
  unsigned position = op.getODSOperandIndexAndLength(1).first + 1;
  aligned = std::gcd(aligned, info.divisor(op, position) * element);
  return std::gcd(aligned, kMost);
}

LogicalResult ChannelPlan::addTransfers(Block &block, const KernelInfo &info) {
  struct Open {
    Value channel;
    SmallVector<tile::CopyOp> copies;
  };
  DenseMap<Value, Open> slots;       // by the slot
  DenseMap<Value, Value> openSlotOf; // by the channel
  for (Operation &op : block) {
    if (auto acquire = dyn_cast<tile::AcquireOp>(op)) {
      openSlotOf[acquire.getChan()] = acquire.getResult();
      slots[acquire.getResult()].channel = acquire.getChan();
    } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      auto slot = slots.find(copy.getSlot());
      if (slot == slots.end())
        return copy.emitOpError() << "expects its slot to be acquired in the "
                                     "same block, but got another";
      bool isBulk = get(slot->second.channel).isBulk;
      if (isBulk && !isa<tile::TilesType>(copy.getSource().getType()))
        return copy.emitOpError()
               << "expects packed weights for a bulk copy, but got "
               << copy.getSource().getType();
      slot->second.copies.push_back(copy);
    } else if (auto commit = dyn_cast<tile::CommitOp>(op)) {
      auto open = openSlotOf.find(commit.getChan());
      if (open == openSlotOf.end())
        return commit.emitOpError() << "expects an acquire of the channel in "
                                       "the same block, but got none";
      Transfer whole;
      whole.channel = &get(commit.getChan());
      SmallVector<tile::CopyOp> &copies = slots[open->second].copies;
      for (tile::CopyOp copy : copies) {
        whole.bytes += copy.getSlot().getType().getBytes();
        whole.width = std::min(whole.width, getCopyWidth(copy, info));
      }
      transfers[commit] = whole;
      whole.isFirst = true;
      for (tile::CopyOp copy : copies) {
        whole.isInside = isInside(copy);
        whole.width = getCopyWidth(copy, info);
        transfers[copy] = whole;
        whole.isFirst = false;
      }
      openSlotOf.erase(open);
    }
  }
  if (openSlotOf.empty())
    return success();
  return openSlotOf.begin()->second.getDefiningOp()->emitOpError()
         << "expects a commit of the channel in the same block, but got none";
}

LogicalResult ChannelPlan::analyse(const KernelInfo &info) {
  tile::KernelOp kernel = info.kernel;
  WalkResult result = kernel.walk([&](tile::ChanOp op) -> WalkResult {
    return addChannel(op, info.target);
  });
  if (result.wasInterrupted())
    return failure();
  kernel.walk([&](tile::WaitOp wait) {
    Channel &channel = get(wait.getChan());
    for (Operation *user : wait.getResult().getUsers()) {
      auto mma = dyn_cast<tile::MmaOp>(user);
      bool isOfGroup = mma && mma.getWarpgroup();
      channel.feedsWarpgroups |= isOfGroup;
      channel.feedsWarpgroupsAlone &= isOfGroup;
    }
  });
  result = kernel.walk(
      [&](Block *block) -> WalkResult { return addTransfers(*block, info); });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static Value keep(Device &d) {
  Type pointer = LLVM::LLVMPointerType::get(d.b.getContext());
  Value zero = d.i32(0);
  Value address =
      LLVM::AllocaOp::create(d.b, d.loc, pointer, d.i32Type(), d.i32(1));
  LLVM::StoreOp::create(d.b, d.loc, zero, address);
  return address;
}

void ChannelPlan::emitEntry(Device &d, const KernelInfo &info) {
  if (channels.empty())
    return;
  bool hasBulk = false;
  for (auto &[value, channel] : channels) {
    hasBulk |= channel->isBulk;
    RingPosition *waiting[] = {&channel->produced, &channel->waited};
    for (RingPosition *position : waiting)
      position->parity = keep(d);
    if (channel->slots == 1)
      continue;
    for (RingPosition *position : waiting)
      position->slot = keep(d);
    channel->released.slot = keep(d);
  }
  Value isFirst = d.compare(arith::CmpIPredicate::eq, info.thread, d.i32(0));
  scf::IfOp::create(d.b, d.loc, isFirst, [&](OpBuilder &builder, Location loc) {
    Device inner(builder, loc);
    for (auto &[value, channel] : channels) {
      int64_t arrivals = channel->isBulk ? 1 : 32 * info.producers;
      for (int64_t i = 0; i < channel->slots; ++i)
        initBarrier(inner, {info.sharedBase, channel->barriers + 8 * i},
                    arrivals);
      for (int64_t i = channel->slots; i < 2 * channel->slots; ++i)
        initBarrier(inner, {info.sharedBase, channel->barriers + 8 * i},
                    channel->feedsWarpgroupsAlone ? info.units
                                                  : 32 * info.units);
    }
    if (hasBulk)
      fenceBarrierInit(inner);
    scf::YieldOp::create(builder, loc);
  });
  syncThreads(d, /*id=*/0, /*threads=*/0);
}
