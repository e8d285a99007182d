// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Arch.h"
#include "Publish.h"
#include "Uniformity.h"
#include "Uses.h"
#include "hk/Transforms/Remarks.h"

#include "llvm/ADT/MapVector.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILECHANNELS
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

namespace {
struct Stream {
  SmallVector<StageOp> stages;
  BufType slot;
  bool isBulk = true;
  /// The most slots that a unit holds at once, those that are of use, and those
  /// there are.
  int64_t held = 0;
  int64_t wanted = 0;
  int64_t slots = 0;
  /// Whether a loop over other chunks follows each, or is around its uses, so
  /// that a slot is refilled long before it is waited for.
  bool isFollowedByLoops = false, isHeldAroundLoops = false;

  ChanType getType() const { return ChanType::get(slot, slots); }
  /// Slots and their two barriers.
  int64_t getBytes() const { return slots * (getType().getSlotStride() + 16); }
};

/// What is known of the chunks of one block.
class BlockPlan {
public:
  explicit BlockPlan(Block &block) {
    // Every wait goes to its first use, but past no other and past nothing
    // that has one inside.
    int64_t position = 0;
    for (Operation &op : block)
      order[&op] = position++;
    int64_t limit = position;
    for (Operation &op : llvm::reverse(block)) {
      if (auto stage = dyn_cast<StageOp>(op)) {
        limit = std::min(limit, order[getFirstUser(stage.getResult())]);
        waits[stage] = limit;
      } else if (op.getNumRegions() != 0 && contains<StageOp>(&op)) {
        limit = order[&op];
      }
    }
  }

  /// The most slots held at once, of chunks of one stream in this block.
  int64_t getHeld(ArrayRef<StageOp> stages) const {
    int64_t most = 0, released = -1;
    SmallVector<int64_t> releases;
    for (StageOp stage : stages) {
      // In the order of the slots.
      released = std::max(released, order.at(getLastUser(stage.getResult())));
      releases.push_back(released);
      int64_t wait = waits.at(stage);
      most = std::max<int64_t>(most, llvm::count_if(releases, [&](int64_t at) {
                                 return at >= wait;
                               }));
    }
    return most;
  }

private:
  llvm::DenseMap<Operation *, int64_t> order;
  llvm::DenseMap<Operation *, int64_t> waits;
};

class ChannelsPass : public hk::tile::impl::TileChannelsBase<ChannelsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    streams.clear();
    if (!contains<StageOp, PublishOp, EmptyOp>(kernel))
      return;
    FailureOr<Arch> arch = getArch(kernel);
    if (failed(arch) || failed(lowerPublishes(kernel)) ||
        failed(collect(kernel, *arch)) || failed(setSlots(kernel, *arch)))
      return signalPassFailure();
    OpBuilder builder(kernel.getBody());
    for (Stream &stream : llvm::make_second_range(streams))
      lower(stream, builder);
  }

  LogicalResult collect(KernelOp kernel, const Arch &arch) {
    int64_t own = -1;
    WalkResult result = kernel.walk([&](StageOp stage) {
      if (stage->use_empty()) {
        stage.erase();
        return WalkResult::advance();
      }
      SmallVector<Value> operands(stage.getIndices());
      if (Value rows = stage.getRows())
        operands.push_back(rows);
      if (failed(verifyCollective(stage, operands)) ||
          failed(verifyStaysInBlock(stage, stage.getResult())))
        return WalkResult::interrupt();
      auto number = stage->getAttrOfType<IntegerAttr>("tile.stream");
      Stream &stream = streams[number ? number.getInt() : own--];
      stream.stages.push_back(stage);
      BufType type = stage.getType();
      if (!stream.slot || stream.slot.getBytes() < type.getBytes())
        stream.slot = type;
      stream.isBulk &=
          arch.hasBulkCopies && isa<TilesType>(stage.getSource().getType());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    for (Stream &stream : llvm::make_second_range(streams))
      if (failed(verifyOrder(stream)))
        return failure();
    for (Stream &stream : llvm::make_second_range(streams))
      setHeld(stream);
    return success();
  }

  /// Slots are released in the order of the copies, so none may be held
  /// around others of its stream.
  static LogicalResult verifyOrder(const Stream &stream) {
    for (StageOp outer : stream.stages)
      for (StageOp inner : stream.stages) {
        Operation *around =
            outer->getBlock()->findAncestorOpInBlock(*inner.getOperation());
        if (!around || around == inner || !outer->isBeforeInBlock(around) ||
            getLastUser(outer.getResult())->isBeforeInBlock(around))
          continue;
        InFlightDiagnostic diag =
            outer.emitOpError()
            << "expects its last use before an operation that stages chunks "
               "of the same stream inside, but got a later one";
        diag.attachNote(inner.getLoc()) << "a chunk inside";
        return diag;
      }
    return success();
  }

  /// True if behind the last use of a chunk, there is a loop over others.
  static bool isFollowedByLoop(StageOp stage) {
    Operation *after = getLastUser(stage.getResult())->getNextNode();
    for (; after; after = after->getNextNode())
      if (contains<StageOp>(after))
        return isa<scf::ForOp>(after);
    return false;
  }

  static void setHeld(Stream &stream) {
    stream.isFollowedByLoops = llvm::all_of(stream.stages, isFollowedByLoop);
    stream.isHeldAroundLoops = llvm::all_of(stream.stages, [](StageOp stage) {
      Operation *last = getLastUser(stage.getResult());
      return isa<scf::ForOp>(last) && contains<StageOp>(last);
    });
    llvm::MapVector<Block *, SmallVector<StageOp>> blocks;
    for (StageOp stage : stream.stages)
      blocks[stage->getBlock()].push_back(stage);
    for (auto &[block, stages] : blocks)
      stream.held = std::max(stream.held, BlockPlan(*block).getHeld(stages));
  }

  /// As many slots as are wanted, or as fit beside the published bufs.
  LogicalResult setSlots(KernelOp kernel, const Arch &arch) {
    auto wanted = kernel->getAttrOfType<IntegerAttr>("hk.stages");
    int64_t bytes = 0;
    for (Stream &stream : llvm::make_second_range(streams)) {
      stream.wanted = getWanted(stream, wanted ? wanted.getInt() : 2);
      stream.slots = stream.wanted;
      bytes += stream.getBytes();
    }
    kernel.walk([&](AllocOp alloc) {
      bytes += llvm::alignTo(alloc.getType().getBytes(), 1024);
    });
    // First down to one slot more than is held, so that copies still run
    // ahead; then to those alone.
    for (int64_t ahead : {1, 0})
      while (bytes > arch.sharedBytes) {
        Stream *largest = nullptr;
        for (Stream &stream : llvm::make_second_range(streams))
          if (stream.slots > stream.held + ahead &&
              (!largest || stream.getBytes() > largest->getBytes()))
            largest = &stream;
        if (!largest)
          break;
        bytes -= largest->getBytes();
        --largest->slots;
        bytes += largest->getBytes();
      }
    if (bytes > arch.sharedBytes)
      return kernel.emitOpError()
             << "expects slots and bufs of at most " << arch.sharedBytes
             << " bytes of shared memory (" << arch.name << "), but got "
             << bytes << " with no slot to spare";
    report(kernel);
    return success();
  }

  /// The slots that a stream has a use for, of `wanted`.
  static int64_t getWanted(const Stream &stream, int64_t wanted) {
    if (stream.isFollowedByLoops)
      return stream.held;
    wanted = stream.isHeldAroundLoops ? stream.held + 1
                                      : std::max(stream.held + 1, wanted);
    // More than there are chunks would stay empty.
    bool happensOnce = llvm::none_of(stream.stages, [](StageOp stage) {
      return bool(stage->getParentOfType<scf::ForOp>());
    });
    return happensOnce ? std::min<int64_t>(wanted, stream.stages.size())
                       : wanted;
  }

  void report(KernelOp kernel) {
    PassRemarks remarks(getArgument(), kernel);
    for (Stream &stream : llvm::make_second_range(streams)) {
      Location loc = stream.stages.front().getLoc();
      if (stream.slots < stream.wanted)
        remarks.missed(loc, "FewerSlots",
                       "expects " + Twine(stream.wanted) + " slots of " +
                           Twine(stream.slot.getBytes()) +
                           " bytes, but got room for " + Twine(stream.slots));
      remarks.passed(loc, "Channel",
                     Twine(stream.slots) + " slots of " +
                         Twine(stream.slot.getBytes()) + " bytes, of which " +
                         Twine(stream.held) + " are held at once");
    }
  }

  static void lower(Stream &stream, OpBuilder &builder) {
    Location loc = stream.stages.front().getLoc();
    Value chan =
        ChanOp::create(builder, loc, stream.getType(),
                       stream.isBulk ? Transport::Bulk : Transport::Async,
                       IntegerAttr(), IntegerAttr());
    llvm::DenseMap<Block *, Operation *> lastRelease;
    for (StageOp stage : stream.stages) {
      OpBuilder at(stage);
      Value slot = AcquireOp::create(at, stage.getLoc(), stage.getType(), chan);
      CopyOp::create(at, stage.getLoc(), stage.getSource(), stage.getIndices(),
                     stage.getRows(), slot, stage.getColumnsAttr(),
                     stage.getPaddedAttr());
      CommitOp::create(at, stage.getLoc(), chan);
      auto wait = WaitOp::create(at, stage.getLoc(), stage.getType(), chan);
      stage.getResult().replaceAllUsesWith(wait);
      Operation *after = getLastUser(wait.getResult());
      // Not before the release of an earlier slot.
      Operation *&last = lastRelease[stage->getBlock()];
      if (last && after->isBeforeInBlock(last))
        after = last;
      at.setInsertionPointAfter(after);
      last = ReleaseOp::create(at, stage.getLoc(), chan);
      stage.erase();
    }
  }

  llvm::MapVector<int64_t, Stream> streams;
};
} // namespace
