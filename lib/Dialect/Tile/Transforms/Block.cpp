// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "hk/Transforms/Remarks.h"

#include "mlir/IR/IRMapping.h"

namespace hk::tile {
#define GEN_PASS_DEF_TILEBLOCK
#include "hk/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace hk::tile

using namespace mlir;
using namespace hk;
using namespace hk::tile;

static int64_t getColumns(Value frag) {
  return cast<FragType>(frag.getType()).getColumns();
}

//===----------------------------------------------------------------------===//
// What can be split
//===----------------------------------------------------------------------===//

/// True if every user of `value` can take it by blocks of columns.
static bool isTakenByBlocks(Value value) {
  if (cast<FragType>(value.getType()).isLine() || value.use_empty())
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<StoreOp, SliceOp>(user))
      return true;
    if (auto map = dyn_cast<MapOp>(user))
      return map.getType().getColumns() == getColumns(value) &&
             isTakenByBlocks(map.getResult());
    auto mma = dyn_cast<MmaOp>(user);
    return mma && (mma.getC() != value || isTakenByBlocks(mma.getResult()));
  });
}

namespace {
/// Some columns of a value.
struct Range {
  int64_t begin;
  int64_t size;
};

struct Part {
  Range range;
  Value value;
};

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

class Splitter {
public:
  Splitter(KernelOp kernel, int64_t width) : kernel(kernel), width(width) {}

  /// Splits what can be; gives the number of accumulators that were.
  int64_t run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<MmaOp, MapOp, StoreOp, SliceOp, ConcatOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      split(op);
    // Users come after what they use.
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    // What is now loaded by blocks.
    kernel.walk([](LoadOp load) {
      if (load->use_empty())
        load.erase();
    });
    return count;
  }

private:
  bool isSplit(Value value) const { return value && parts.count(value); }

  void split(Operation *op) {
    if (auto mma = dyn_cast<MmaOp>(op)) {
      splitMma(mma);
    } else if (auto map = dyn_cast<MapOp>(op)) {
      splitMap(map);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (isSplit(store.getValue()))
        splitStore(store);
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      if (!isSplit(slice.getInput()))
        return;
      OpBuilder builder(slice);
      slice.getResult().replaceAllUsesWith(get(
          slice.getInput(),
          {int64_t(slice.getColumn()), slice.getType().getColumns()}, builder));
      replaced.push_back(slice);
    } else if (auto concat = cast<ConcatOp>(op);
               isTakenByBlocks(concat.getResult())) {
      SmallVector<Part> &result = parts[concat.getResult()];
      int64_t column = 0;
      for (Value input : concat.getInputs()) {
        result.push_back({{column, getColumns(input)}, input});
        column += getColumns(input);
      }
      replaced.push_back(concat);
    }
  }

  /// The blocks of a result: those of an operand that is split, or new ones.
  SmallVector<Range> getRanges(ValueRange operands, int64_t columns) const {
    SmallVector<Range> ranges;
    for (Value operand : operands)
      if (isSplit(operand) && getColumns(operand) == columns) {
        for (const Part &part : parts.find(operand)->second)
          ranges.push_back(part.range);
        return ranges;
      }
    for (int64_t begin = 0; begin < columns; begin += width)
      ranges.push_back({begin, std::min(width, columns - begin)});
    return ranges;
  }

  void splitMma(MmaOp mma) {
    Value c = mma.getC();
    int64_t columns = mma.getType().getColumns();
    // A strip has no parts that are not whole strips.
    bool isWide = isSplit(c) ||
                  (columns > width && width % mma.getType().getStrip() == 0 &&
                   isTakenByBlocks(mma.getResult()));
    if (!isWide && !isSplit(mma.getA()))
      return;
    SmallVector<Range> ranges = {{0, columns}};
    if (isWide)
      ranges = getRanges(c ? ValueRange(c) : ValueRange(), columns);
    SmallVector<Part> result;
    for (Range range : ranges)
      result.push_back({range, createChain(mma, range)});
    if (isWide) {
      parts[mma.getResult()] = std::move(result);
      ++count;
    } else {
      mma.getResult().replaceAllUsesWith(result.front().value);
    }
    replaced.push_back(mma);
  }

  /// Columns `n` of the result: the sum over the parts of A.
  Value createChain(MmaOp mma, Range n) {
    Location loc = mma.getLoc();
    SmallVector<Part> as = {{{0, getColumns(mma.getA())}, mma.getA()}};
    if (isSplit(mma.getA()))
      as = parts.find(mma.getA())->second;
    Value sum;
    for (const Part &a : as) {
      SmallVector<Value> operands = {a.value, mma.getB(), mma.getRow(),
                                     mma.getColumn()};
      if (sum)
        operands.push_back(sum);
      else if (mma.getC())
        addSources(mma.getC(), n, operands);
      OpBuilder builder = getBuilder(mma, operands);
      if (!sum && mma.getC())
        sum = get(mma.getC(), n, builder);
      int64_t row = mma.getTransposeB() ? a.range.begin : n.begin;
      int64_t column = mma.getTransposeB() ? n.begin : a.range.begin;
      sum = MmaOp::create(builder, loc, mma.getType().withColumns(n.size),
                          a.value, mma.getB(), add(mma.getRow(), row, builder),
                          add(mma.getColumn(), column, builder), sum,
                          mma.getTransposeB(), mma.getSplit());
      emitted.insert(sum.getDefiningOp());
    }
    return sum;
  }

  void splitMap(MapOp map) {
    if (llvm::none_of(map.getInputs(),
                      [&](Value input) { return isSplit(input); }))
      return;
    SmallVector<Value> captured;
    map.getBody().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!map.getBody().isAncestor(operand.getParentRegion()))
          captured.push_back(operand);
    });
    SmallVector<Part> result;
    int64_t columns = map.getType().getColumns();
    for (Range range : getRanges(map.getInputs(), columns)) {
      SmallVector<Value> operands = captured;
      for (Value input : map.getInputs())
        addSources(input, range, operands);
      OpBuilder builder = getBuilder(map, operands);
      SmallVector<Value> inputs;
      for (Value input : map.getInputs())
        inputs.push_back(get(input, range, builder));
      auto block =
          MapOp::create(builder, map.getLoc(),
                        TypeRange(map.getType().withColumns(range.size)),
                        inputs, map->getAttrs());
      IRMapping mapping;
      map.getBody().cloneInto(&block.getBody(), mapping);
      emitted.insert(block);
      result.push_back({range, block.getResult()});
    }
    parts[map.getResult()] = std::move(result);
    replaced.push_back(map);
  }

  void splitStore(StoreOp store) {
    bool isRead = llvm::any_of(store.getTarget().getUsers(),
                               [](Operation *op) { return !isa<StoreOp>(op); });
    for (const Part &part : parts.find(store.getValue())->second) {
      SmallVector<Value> operands = {part.value, store.getRow(),
                                     store.getColumn()};
      if (store.getRows())
        operands.push_back(store.getRows());
      OpBuilder builder =
          isRead ? OpBuilder(store) : getBuilder(store, operands);
      IntegerAttr columns;
      if (!clip(store.getColumnsAttr(), part.range, columns))
        continue;
      StoreOp::create(builder, store.getLoc(), part.value, store.getTarget(),
                      store.getRow(),
                      add(store.getColumn(), part.range.begin, builder),
                      store.getRows(), columns);
    }
    replaced.push_back(store);
  }

  /// What is left of a limit of columns in a range; false if nothing is.
  static bool clip(IntegerAttr columns, Range range, IntegerAttr &result) {
    result = {};
    if (!columns)
      return true;
    int64_t left = columns.getInt() - range.begin;
    if (left < range.size)
      result = IntegerAttr::get(columns.getType(), left);
    return left > 0;
  }

  /// A load by blocks, if the value is one that nothing else uses.
  static LoadOp getLoad(Value value, Range range) {
    auto load = value.getDefiningOp<LoadOp>();
    IntegerAttr columns;
    if (!load || !value.hasOneUse() ||
        !clip(load.getColumnsAttr(), range, columns))
      return {};
    return load;
  }

  /// Adds what `get` will use for these columns of `value`.
  void addSources(Value value, Range range, SmallVectorImpl<Value> &sources) {
    if (isSplit(value)) {
      for (const Part &part : parts.find(value)->second)
        if (part.range.begin < range.begin + range.size &&
            range.begin < part.range.begin + part.range.size)
          sources.push_back(part.value);
    } else if (LoadOp load = getLoad(value, range);
               load && getColumns(value) != 1) {
      llvm::append_range(sources, load->getOperands());
    } else {
      sources.push_back(value);
    }
  }

  /// Columns of a value: its parts, a load of them, or a slice.
  Value get(Value value, Range range, OpBuilder &builder) {
    Location loc = value.getLoc();
    auto type = cast<FragType>(value.getType());
    if (type.getColumns() == 1 ||
        (range.begin == 0 && range.size == type.getColumns() &&
         !isSplit(value)))
      return value;
    if (!isSplit(value)) {
      if (LoadOp load = getLoad(value, range)) {
        IntegerAttr columns;
        clip(load.getColumnsAttr(), range, columns);
        SmallVector<Value> indices(load.getIndices());
        indices.back() = add(indices.back(), range.begin, builder);
        return LoadOp::create(builder, loc, type.withColumns(range.size),
                              load.getSource(), indices, load.getRows(),
                              columns);
      }
      return SliceOp::create(builder, loc, type.withColumns(range.size), value,
                             range.begin);
    }
    SmallVector<Value> pieces;
    for (const Part &part : parts.find(value)->second) {
      int64_t begin = std::max(part.range.begin, range.begin);
      int64_t end = std::min(part.range.begin + part.range.size,
                             range.begin + range.size);
      if (begin >= end)
        continue;
      if (end - begin == part.range.size)
        pieces.push_back(part.value);
      else
        pieces.push_back(SliceOp::create(builder, loc,
                                         type.withColumns(end - begin),
                                         part.value, begin - part.range.begin));
    }
    if (pieces.size() == 1)
      return pieces.front();
    return ConcatOp::create(builder, loc, type.withColumns(range.size), pieces);
  }

  static Value add(Value index, int64_t offset, OpBuilder &builder) {
    if (offset == 0)
      return index;
    Location loc = index.getLoc();
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return arith::ConstantIndexOp::create(builder, loc, *constant + offset);
    Value by = arith::ConstantIndexOp::create(builder, loc, offset);
    return arith::AddIOp::create(builder, loc, index, by);
  }

  /// Right after the last of the operands, if it is a part: a block of columns
  /// goes as far as it can before the next begins. Otherwise in the place of
  /// `op`.
  OpBuilder getBuilder(Operation *op, ArrayRef<Value> operands) const {
    Operation *last = nullptr;
    for (Value operand : operands) {
      Operation *definition = operand.getDefiningOp();
      if (!definition || definition->getBlock() != op->getBlock())
        continue;
      if (!last || last->isBeforeInBlock(definition))
        last = definition;
    }
    OpBuilder builder(op);
    if (last && emitted.contains(last))
      builder.setInsertionPointAfter(last);
    return builder;
  }

  KernelOp kernel;
  int64_t width;
  int64_t count = 0;
  llvm::DenseMap<Value, SmallVector<Part>> parts;
  /// The parts of products and maps.
  llvm::DenseSet<Operation *> emitted;
  SmallVector<Operation *> replaced;
};

class BlockPass : public hk::tile::impl::TileBlockBase<BlockPass> {
  using TileBlockBase::TileBlockBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t width = columns;
    if (width == 0)
      if (auto block = kernel->getAttrOfType<IntegerAttr>("hk.block"))
        width = block.getInt();
    if (width == 0)
      return;
    if (width < 8 || width % 8 != 0) {
      kernel.emitOpError() << "expects blocks of a multiple of 8 columns, but "
                              "got "
                           << width;
      return signalPassFailure();
    }
    if (int64_t count = Splitter(kernel, width).run())
      PassRemarks(getArgument(), kernel)
          .passed(kernel.getLoc(), "Blocked",
                  Twine(count) + " accumulators in blocks of " + Twine(width) +
                      " columns");
  }
};
} // namespace
