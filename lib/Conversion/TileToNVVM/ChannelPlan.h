// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The channels of a kernel: facts found before the conversion changes it, and
// where each thread keeps the state of its end of a ring.

#ifndef HK_LIB_CONVERSION_TILETONVVM_CHANNELPLAN_H
#define HK_LIB_CONVERSION_TILETONVVM_CHANNELPLAN_H

#include "Instructions.h"

#include "hk/Dialect/Tile/TileDialect.h"

#include "llvm/ADT/MapVector.h"

namespace hk {

class KernelInfo;

/// The next slot of a ring, and the parity of the phase to wait for: addresses
/// of i32s that a thread keeps, which LLVM makes registers. No slot is kept
/// where there is but one, and no parity where nothing waits.
struct RingPosition {
  mlir::Value slot, parity;
};

struct Channel {
  bool isBulk = false;
  /// Whether wgmma reads slots; and whether nothing else does.
  bool feedsWarpgroups = false, feedsWarpgroupsAlone = true;
  int64_t slots = 1, slotBytes = 0;
  /// In bytes of the kernel's shared memory: the slots, and the barriers (all
  /// full ones, then all empty ones).
  int64_t offset = 0, barriers = 0;
  /// Of the producer; of the consumer's waits; of its releases.
  RingPosition produced, waited, released;
};

class ChannelPlan {
public:
  /// Of a copy and of a commit.
  struct Transfer {
    Channel *channel = nullptr;
    /// Whether a copy is the first of its slot.
    bool isFirst = false;
    /// The bytes of all copies of the slot.
    int64_t bytes = 0;
    /// The bytes that one instruction copies: 16, 8, 4 or 2, to which all rows
    /// are aligned. Of a commit, the least.
    int64_t width = 16;
    /// Whether a copy of a matrix is known to end before its last column.
    bool isInside = false;
  };

  /// Looks at the kernel; emits errors on what cannot be lowered.
  mlir::LogicalResult analyse(const KernelInfo &info);

  /// Makes the state of the rings and the barriers, for all threads, at the
  /// beginning of the kernel.
  void emitEntry(Device &d, const KernelInfo &info);

  Channel &get(mlir::Value channel) { return *channels.find(channel)->second; }
  /// Of a copy or a commit.
  const Transfer &get(mlir::Operation *op) const {
    return transfers.find(op)->second;
  }

private:
  llvm::MapVector<mlir::Value, std::unique_ptr<Channel>> channels;
  mlir::DenseMap<mlir::Operation *, Transfer> transfers;

  mlir::LogicalResult addChannel(tile::ChanOp op, const GPUTarget &target);
  mlir::LogicalResult addTransfers(mlir::Block &block, const KernelInfo &info);
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_CHANNELPLAN_H
