// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Uses.h"
#include "hk/Transforms/Remarks.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEALLOCATE
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

static constexpr int64_t alignment = 1024;
static constexpr int64_t barrierBytes = 8;

namespace {
/// A published buf, alive from `begin` to before `end` in program order.
struct Life {
  AllocOp alloc;
  int64_t begin, end;
  int64_t offset, bytes;

  bool meets(const Life &other) const {
    return begin < other.end && other.begin < end;
  }
};

class AllocatePass : public hk::tile::impl::TileAllocateBase<AllocatePass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!contains<ChanOp, AllocOp>(kernel))
      return;
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch))
      return signalPassFailure();

    int64_t bytes = 0;
    kernel.walk([&](ChanOp chan) {
      chan.setOffset(bytes);
      bytes += chan.getType().getSlots() * chan.getType().getSlotStride();
    });
    bytes = placeBufs(getLives(kernel), bytes);
    kernel.walk([&](ChanOp chan) {
      chan.setBarriers(bytes);
      bytes += 2 * chan.getType().getSlots() * barrierBytes;
    });
    if (bytes > arch->sharedBytes) {
      kernel.emitOpError() << "expects at most " << arch->sharedBytes
                           << " bytes of shared memory (" << arch->name
                           << "), but got " << bytes;
      return signalPassFailure();
    }
    kernel.setShared(bytes);
    PassRemarks(getArgument(), kernel)
        .analysis(kernel.getLoc(), "Shared",
                  Twine(bytes) + " bytes of shared memory, of " +
                      Twine(arch->sharedBytes));
  }

  /// From each alloc to the end of the last user in its block.
  static SmallVector<Life> getLives(KernelOp kernel) {
    llvm::DenseMap<Operation *, int64_t> first, last;
    int64_t position = 0;
    auto number = [&](auto &self, Operation *op) -> void {
      first[op] = position++;
      for (Region &region : op->getRegions())
        for (Operation &nested : region.getOps())
          self(self, &nested);
      last[op] = position;
    };
    number(number, kernel);
    SmallVector<Life> lives;
    kernel.walk([&](AllocOp alloc) {
      Operation *user = getLastUser(alloc.getResult());
      lives.push_back(
          {alloc, first[alloc], last[user ? user : alloc], 0,
           int64_t(llvm::alignTo(alloc.getType().getBytes(), alignment))});
    });
    return lives;
  }

  /// First fit, the largest first. Gives the end of all.
  static int64_t placeBufs(SmallVector<Life> lives, int64_t begin) {
    llvm::sort(lives, [](const Life &a, const Life &b) {
      return std::pair(-a.bytes, a.begin) < std::pair(-b.bytes, b.begin);
    });
    int64_t end = begin;
    for (auto [i, life] : llvm::enumerate(lives)) {
      life.offset = begin;
      // Offsets only grow, so this ends.
      for (bool moved = true; moved;) {
        moved = false;
        for (const Life &other : ArrayRef<Life>(lives).take_front(i))
          if (life.meets(other) && life.offset < other.offset + other.bytes &&
              other.offset < life.offset + life.bytes) {
            life.offset = other.offset + other.bytes;
            moved = true;
          }
      }
      life.alloc.setOffset(life.offset);
      end = std::max(end, life.offset + life.bytes);
    }
    return end;
  }
};
} // namespace
