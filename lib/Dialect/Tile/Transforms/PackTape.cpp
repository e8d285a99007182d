// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "Uses.h"
#include "hk/Transforms/Remarks.h"

#include "llvm/ADT/MapVector.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEPACKTAPE
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

static constexpr llvm::StringLiteral streamAttr = "tile.stream";

namespace {
/// What chunks of one stream have in common.
struct Kind {
  bool isTiles;
  /// How many levels of loops, with chunks of their own, a chunk outlives.
  unsigned span;
  /// The size of all, or 0: any.
  int64_t bytes;
  /// Whether wgmma alone reads it: then a slot is released by one lane, without
  /// a fence.
  bool isOfWarpgroups;

  bool operator==(const Kind &other) const {
    return isTiles == other.isTiles && span == other.span &&
           bytes == other.bytes && isOfWarpgroups == other.isOfWarpgroups;
  }
};

bool isOfWarpgroups(StageOp stage) {
  return llvm::all_of(stage->getUsers(), [](Operation *user) {
    auto mma = dyn_cast<MmaOp>(user);
    return mma && mma.getWarpgroup();
  });
}

class PackTapePass : public hk::tile::impl::TilePackTapeBase<PackTapePass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    spans.clear();
    SmallVector<StageOp> stages;
    kernel.walk([&](StageOp stage) { stages.push_back(stage); });

    SmallVector<Kind> kinds;
    for (StageOp stage : stages) {
      bool isTiles = isa<TilesType>(stage.getSource().getType());
      kinds.push_back({isTiles, getSpan(stage), stage.getType().getBytes(),
                       !isTiles && isOfWarpgroups(stage)});
    }
    joinTiles(kinds);

    SmallVector<SmallVector<StageOp>> streams;
    SmallVector<Kind> kindOf;
    Builder builder(&getContext());
    for (auto [stage, kind] : llvm::zip_equal(stages, kinds)) {
      size_t number = llvm::find(kindOf, kind) - kindOf.begin();
      if (number == kindOf.size()) {
        kindOf.push_back(kind);
        streams.emplace_back();
      }
      streams[number].push_back(stage);
      stage->setAttr(streamAttr, builder.getI64IntegerAttr(number));
    }
    PassRemarks remarks(getArgument(), kernel);
    for (auto [number, stream] : llvm::enumerate(streams))
      describe(number, stream, remarks);
  }

  /// Packed weights of one span share slots, unless that wastes them.
  static void joinTiles(MutableArrayRef<Kind> kinds) {
    struct Sum {
      int64_t chunks = 0, bytes = 0, largest = 0;
    };
    llvm::MapVector<unsigned, Sum> sums;
    for (const Kind &kind : kinds) {
      if (!kind.isTiles)
        continue;
      Sum &sum = sums[kind.span];
      ++sum.chunks;
      sum.bytes += kind.bytes;
      sum.largest = std::max(sum.largest, kind.bytes);
    }
    for (Kind &kind : kinds) {
      if (!kind.isTiles)
        continue;
      const Sum &sum = sums[kind.span];
      if (2 * sum.bytes >= sum.chunks * sum.largest)
        kind.bytes = 0;
    }
  }

  unsigned getSpan(StageOp stage) {
    auto [known, isNew] = spans.try_emplace(stage, 0);
    if (!isNew)
      return known->second;
    unsigned span = 0;
    if (Operation *last = getLastUser(stage.getResult()))
      for (Operation *op = stage->getNextNode();; op = op->getNextNode()) {
        if (op->getNumRegions() != 0)
          op->walk([&](StageOp inner) {
            span = std::max(span, getSpan(inner) + 1);
          });
        if (op == last)
          break;
      }
    return spans[stage] = span;
  }

  static void describe(size_t number, ArrayRef<StageOp> stream,
                       const PassRemarks &remarks) {
    int64_t bytes = 0, largest = 0;
    for (StageOp stage : stream) {
      bytes += StageOp(stage).getType().getBytes();
      largest = std::max(largest, StageOp(stage).getType().getBytes());
    }
    remarks.analysis(StageOp(stream.front()).getLoc(), "Stream",
                     "stream " + Twine(number) + ": " + Twine(stream.size()) +
                         " chunks in the text of the kernel, " + Twine(bytes) +
                         " bytes, in slots of " + Twine(largest) + " bytes");
  }

  llvm::DenseMap<Operation *, unsigned> spans;
};
} // namespace
