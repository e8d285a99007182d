// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles that weights are packed in.

#include "KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

int64_t hk::tile::chooseTileColumns(int64_t rows, int64_t columns,
                                    int64_t bytes) {
  constexpr int64_t kTileBytes = 32 * 1024;
  while (columns % 16 == 0 && rows * columns * bytes > kTileBytes)
    columns /= 2;
  return columns;
}

/// Where the columns of `value` begin in what they are split from, and these
/// in `value`'s users.
static void getOffsets(Value value, int64_t first,
                       SmallVectorImpl<int64_t> &offsets) {
  for (Operation *user : value.getUsers()) {
    if (isElementwise(user))
      getOffsets(user->getResult(0), first, offsets);
    auto split = dyn_cast<SplitOp>(user);
    if (!split)
      continue;
    for (OpResult result : split.getResults()) {
      if (result.use_empty())
        continue;
      int64_t offset = first + split.getColumnOffset(result.getResultNumber());
      offsets.push_back(offset);
      getOffsets(result, offset, offsets);
    }
  }
}

int64_t KernelPlan::getStrip(Value value) const {
  return getStripWidth(getLayout(value));
}

LogicalResult KernelPlan::setTiles(LinearPlan &plan) {
  LinearOp op = plan.op;
  int64_t bytes = getOperandType().getIntOrFloatBitWidth() / 8;
  int64_t block = getBlockColumns(op.getInput());
  if (plan.sums) {
    plan.step =
        getPlace(op.getInput()) == Place::Blocks ? block : schedule.getDepth();
    plan.tileRows = padColumns(plan.features);
  } else {
    plan.step = plan.wholeInput ? plan.depth : schedule.getDepth();
    // What reads it may take narrower blocks: the heads of an attention.
    int64_t columns = schedule.getBlock();
    if (!isResident(op.getResult())) {
      columns = 0;
      auto addBlocks = [&](Value value, int64_t width) {
        visit(value, [&](Value leaf) {
          if (leaf == op.getResult())
            columns = std::gcd(columns, width);
        });
      };
      auto addReader = [&](Value value) {
        addBlocks(value, getBlockColumns(value));
      };
      auto addHeads = [&](AttentionOp reader) {
        addBlocks(reader.getQuery(), getHeadColumns(reader));
        int64_t keys = getKeyColumns(reader);
        addBlocks(reader.getKey(), keys);
        addBlocks(reader.getValue(), keys);
      };
      for (auto reader : getBody().getOps<LinearOp>())
        addReader(reader.getInput());
      for (auto reader : getBody().getOps<AttentionOp>())
        addHeads(reader);
      for (Value value : getYielded())
        addReader(value);
    }
    plan.tileRows = std::min(columns, padColumns(plan.features));
    SmallVector<int64_t> offsets;
    getOffsets(op.getResult(), 0, offsets);
    for (int64_t offset : offsets)
      plan.tileRows = std::gcd(plan.tileRows, offset);
  }
  plan.step = std::min(plan.step, padColumns(plan.depth));
  plan.tileColumns = padColumns(plan.step);
  if (plan.wholeInput || plan.sums)
    plan.tileColumns =
        chooseTileColumns(plan.tileRows, plan.tileColumns, bytes);
  if (plan.tileRows % 8 != 0 || (!plan.wholeInput && plan.step % 8 != 0))
    return op.emitOpError()
           << "expects blocks and runs of columns of a multiple of 8 in a "
              "#hk.cuda kernel, but got tiles of "
           << plan.tileRows << " features and " << plan.step
           << " input features";
  auto get = op.getWeight().getDefiningOp<PackedGetOp>();
  auto layout = TilesAttr::getChecked(
      [&] { return op.emitOpError(); }, op.getContext(), plan.tileRows,
      plan.tileColumns, getStrip(op.getResult()), getStrip(op.getInput()));
  if (!layout)
    return failure();
  plan.weight = addPacked(get, layout);
  return success();
}

/// How far the layer of `get` is from the argument that it is counted from.
static int64_t getLayersAhead(PackedGetOp get) {
  int64_t ahead = 0;
  Value layer = get.getLayer();
  while (layer && !isa<BlockArgument>(layer)) {
    auto sum = layer.getDefiningOp<arith::AddIOp>();
    ahead += getConstantIntValue(sum.getRhs()).value();
    layer = sum.getLhs();
  }
  return ahead;
}

unsigned KernelPlan::addPacked(PackedGetOp get, TilesAttr layout) {
  int64_t ahead = getLayersAhead(get);
  for (auto [index, known] : llvm::enumerate(packed))
    if (known.get.getSymbolAttr() == get.getSymbolAttr() &&
        known.layout == layout && known.ahead == ahead)
      return index;
  packed.push_back({get, layout, ahead});
  return packed.size() - 1;
}
