// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear operations: a block of features over all input features, or all
// features over blocks of the input. Biases are added by what follows.

#include "TileEmitter.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The registers of a thread for sums that grow together.
static constexpr int64_t kTogetherRegisters = 96;

/// C + A W^T: A holds input features from `k` on, and the result `columns`
/// features from `n` on, one tile of the weight after another.
Value TileEmitter::multiply(const LinearPlan &p, Value a, Column k, Column n,
                            int64_t columns, Value c) {
  int64_t depth = cast<FragType>(a.getType()).getColumns();
  Value tiles = kernel.getArgument(kernel.getNumArguments() - 1 -
                                   plan.packed.size() + p.weight);
  auto tilesType = cast<TilesType>(tiles.getType());
  // The tile that a column begins.
  auto tileAt = [](Column column, int64_t width) {
    assert(column.stride % width == 0 && column.offset % width == 0 &&
           "blocks are whole tiles");
    return Column{column.index, column.stride / width, column.offset / width};
  };
  int64_t padded = padColumns(columns);
  LinearOp op = p.op;
  FragLayout layout = plan.getLayout(op.getResult());
  bool isOne = padded <= p.tileRows;
  SmallVector<Value> parts;
  for (int64_t i = 0; i < padded; i += p.tileRows) {
    int64_t width = std::min(p.tileRows, padded - i);
    Column tileRow = tileAt(n + i, p.tileRows);
    Value first;
    if (!isOne && run && n.index == run &&
        plan.runs * n.stride + n.offset > p.features) {
      // The last run of columns reaches behind the last tile.
      first = arith::MinUIOp::create(
          b, loc, at(tileRow),
          index(llvm::divideCeil(p.features, p.tileRows) - 1));
      first = mul(first, p.getTilesPerRow());
    } else {
      first = at(Column{tileRow.index, tileRow.stride * p.getTilesPerRow(),
                        tileRow.offset * p.getTilesPerRow()});
    }
    auto type = fragType(rows, width, b.getF32Type(), layout);
    Value sums = c && !isOne ? slice(c, i, width) : c;
    for (int64_t j = 0; j < depth; j += p.tileColumns) {
      Column tileColumn = tileAt(k + j, p.tileColumns);
      Value number = add(first, tileColumn.offset);
      if (tileColumn.index)
        number = arith::AddIOp::create(
            b, loc, number, mul(tileColumn.index, tileColumn.stride));
      Value tile = StageOp::create(b, loc, tilesType.getBufType(), tiles,
                                   ValueRange{number}, Value(), IntegerAttr(),
                                   DenseI64ArrayAttr());
      Value part = slice(a, j, std::min(p.tileColumns, depth - j));
      sums = MmaOp::create(b, loc, type, part, tile, index(0), index(0), sums,
                           /*transpose_b=*/false, plan.isSplit());
    }
    parts.push_back(sums);
  }
  if (isOne)
    return parts.front();
  return ConcatOp::create(
      b, loc, fragType(rows, padded, b.getF32Type(), layout), parts);
}

Value TileEmitter::emitSums(LinearOp op, Value c) {
  const LinearPlan &p = plan.getLinear(op);
  FragLayout layout = plan.getLayout(op.getResult());
  if (!p.sums) {
    // The input is in registers: features block by block.
    Value a = evaluateAll(op.getInput(), plan.getOperandType());
    SmallVector<Value> parts;
    forBlocks(p.features, p.tileRows, /*isStatic=*/true, {},
              [&](Column column, int64_t columns, ValueRange) {
                Value part = c ? slice(c, column.offset, columns) : Value();
                parts.push_back(
                    multiply(p, a, Column(), column, columns, part));
                return SmallVector<Value>();
              });
    if (parts.size() == 1)
      return parts.front();
    return ConcatOp::create(
        b, loc, fragType(rows, p.features, b.getF32Type(), layout), parts);
  }
  prepare(op.getInput());
  bool isStatic = plan.readsResident(op.getInput());
  if (!c && isLoop(p.depth, p.step, isStatic))
    c = splat(0.0, p.features, layout);
  return forBlocks(p.depth, p.step, isStatic, c,
                   [&](Column k, int64_t columns, ValueRange sums) {
                     Value a = evaluate(op.getInput(), k, columns,
                                        plan.getOperandType());
                     loc = op.getLoc();
                     return SmallVector<Value>{
                         multiply(p, a, k, Column(), p.features, sums.front())};
                   })
      .front();
}

Value TileEmitter::emitLinear(LinearOp op, Column column, int64_t columns,
                              Value c) {
  if (plan.isResident(op.getResult()))
    return emitSums(op, c);
  BlockKey name = key(op.getResult(), column, columns, Type());
  if (auto known = blocks.find(name); !c && known != blocks.end())
    return known->second;
  const LinearPlan &p = plan.getLinear(op);
  Value sums;
  if (p.wholeInput) {
    Value a = evaluateAll(op.getInput(), plan.getOperandType());
    loc = op.getLoc();
    sums = multiply(p, a, Column(), column, columns, c);
  } else {
    prepare(op.getInput());
    sums =
        forBlocks(p.depth, p.step, /*isStatic=*/false,
                  c ? c : splat(0.0, columns, plan.getLayout(op.getResult())),
                  [&](Column k, int64_t width, ValueRange carried) {
                    Value a = streamInput(op.getInput(), k, width);
                    loc = op.getLoc();
                    return SmallVector<Value>{
                        multiply(p, a, k, column, columns, carried.front())};
                  })
            .front();
  }
  if (!c)
    blocks[name] = sums;
  return sums;
}

/// The linear operation whose sums columns of `value` are computed from, one by
/// one, and which of its columns; null if there is none.
static std::pair<LinearOp, Column> findSums(const KernelPlan &plan, Value value,
                                            Column column) {
  while (Operation *op = value.getDefiningOp()) {
    if (plan.isResident(value))
      break;
    if (auto linear = dyn_cast<LinearOp>(op))
      return {linear, column};
    if (auto split = dyn_cast<SplitOp>(op))
      column = column +
               split.getColumnOffset(cast<OpResult>(value).getResultNumber());
    else if (!isa<ActivationOp, MaskRowsOp, CastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {LinearOp(), Column()};
}

void TileEmitter::emitTogether(ArrayRef<Block> wanted) {
  LinearOp op = findSums(plan, wanted.front().value, Column()).first;
  if (!op || plan.getLinear(op).wholeInput)
    return;
  const LinearPlan &p = plan.getLinear(op);
  SmallVector<Block> sums;
  SmallVector<BlockKey> names;
  SmallVector<Value> zeros;
  int64_t registers = 0;
  for (const Block &block : wanted) {
    auto [linear, column] = findSums(plan, block.value, block.column);
    BlockKey name = key(op.getResult(), column, block.columns, Type());
    int64_t more = rows * padColumns(block.columns) / 32;
    if (linear != op || llvm::is_contained(names, name) ||
        registers + more > kTogetherRegisters)
      continue;
    registers += more;
    sums.push_back({op.getResult(), column, block.columns});
    names.push_back(name);
    zeros.push_back(splat(0.0, block.columns, plan.getLayout(op.getResult())));
  }
  if (sums.size() < 2)
    return;
  prepare(op.getInput());
  SmallVector<Value> results = forBlocks(
      p.depth, p.step, /*isStatic=*/false, zeros,
      [&](Column k, int64_t columns, ValueRange carried) {
        Value a = streamInput(op.getInput(), k, columns);
        loc = op.getLoc();
        SmallVector<Value> next;
        for (auto [block, c] : llvm::zip_equal(sums, carried))
          next.push_back(multiply(p, a, k, block.column, block.columns, c));
        return next;
      });
  for (auto [name, result] : llvm::zip_equal(names, results))
    blocks[name] = result;
}
