// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear operations: register tiles of `mr` rows by `nr` output features, over
// the whole depth. A weight panel (`nr` features, all of the depth) stays in
// the nearest cache while the rows of the block pass by it; the weights are
// read once for a block. What follows the linear operation is done on the tile.

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hk;

/// True if the operations behind the linear one are long enough that, done for
/// all of a tile's registers at once, they would spill them.
static bool isExpensive(const KernelGroup &group, const KernelGroups &groups) {
  SmallVector<Operation *> pending{group.root};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (op == group.core)
      continue;
    auto activation = dyn_cast<ActivationOp>(op);
    if (activation && activation.getKind() != ActivationKind::Relu)
      return true;
    for (Value operand : op->getOperands())
      if (Operation *inner = operand.getDefiningOp();
          inner && groups.isInline(operand))
        pending.push_back(inner);
  }
  return false;
}

LogicalResult KernelEmitter::emitLinear(const KernelGroup &group,
                                        const View &to) {
  LinearOp op = group.core;
  v.loc = op.getLoc();
  View input = view(op.getInput());
  auto weightType = cast<RankedTensorType>(op.getWeight().getType());
  int64_t features = weightType.getDimSize(0), depth = weightType.getDimSize(1);
  auto weight = op.getWeight().getDefiningOp<PackedGetOp>();
  auto panels = dyn_cast_or_null<PanelsAttr>(weightType.getEncoding());
  if (!weight || !panels)
    return op.emitOpError() << "expects a packed weight in panels in a #hk.cpu "
                               "kernel, but got "
                            << weightType;
  int64_t width = panels.getWidth();
  Value bias;
  if (op.getBias()) {
    auto packed = op.getBias().getDefiningOp<PackedGetOp>();
    if (!packed)
      return op.emitOpError()
             << "expects a packed bias in a #hk.cpu kernel, but got "
             << op.getBias();
    bias = operands.packed(packed, {features}, 0);
  }

  Type element = cast<MemRefType>(to.memref.getType()).getElementType();
  bool expensive = isExpensive(group, groups);
  Value result = group.root->getResult(0);
  auto finish = [&](Value core, Value row, Value column, int64_t lanes) {
    Value vector = evaluate(result, row, column, lanes, group, core);
    storeVector(v.narrow(vector, element), to, row, column);
  };

  // One tile: rows [row, row + m) by the features of a panel.
  auto emitOne = [&](Value panel, Value weights, Value firstColumn,
                     int64_t panelWidth, Value row, int64_t m) {
    auto pieces = chunks(panelWidth);
    int64_t n = pieces.size();
    SmallVector<Value> sums;
    for (int64_t i = 0; i < m; ++i)
      for (auto [first, lanes] : pieces) {
        if (bias)
          sums.push_back(vector::LoadOp::create(
              v.b, v.loc, v.vectorType(lanes), bias,
              ValueRange{v.addIndex(firstColumn, first)}));
        else
          sums.push_back(v.constant(0.0, v.vectorType(lanes)));
      }
    SmallVector<Value> inputRows;
    for (int64_t i = 0; i < m; ++i)
      inputRows.push_back(v.addIndex(v.addIndex(input.firstRow, row), i));
    sums = emitTile(
        m, n, v.index(depth),
        [&](int64_t i, Value k) {
          return loadScalar(input.memref, inputRows[i],
                            v.addIndex(k, input.firstColumn));
        },
        [&](int64_t j, Value k) -> Value {
          return vector::LoadOp::create(
              v.b, v.loc, v.vectorType(pieces[j].second), weights,
              ValueRange{panel, k, v.index(pieces[j].first)});
        },
        sums);
    bool twoSteps = expensive && element.isF32();
    for (int64_t i = 0; i < m; ++i)
      for (auto [j, piece] : llvm::enumerate(pieces)) {
        Value r = v.addIndex(row, i);
        Value column = v.addIndex(firstColumn, piece.first);
        if (twoSteps)
          storeVector(sums[i * n + j], to, r, column);
        else
          finish(sums[i * n + j], r, column, piece.second);
      }
    if (!twoSteps)
      return;
    forEach(m, [&](Value i) {
      Value r = v.addIndex(row, i);
      for (auto [first, lanes] : pieces) {
        Value column = v.addIndex(firstColumn, first);
        finish(loadVector(to, r, column, lanes), r, column, lanes);
      }
    });
  };

  forTiles(features, width, [&](Value firstColumn, int64_t panelWidth) {
    bool whole = panelWidth == width;
    int64_t count = whole ? features / width : 1;
    // The last panel, if it is narrower, lies behind the others.
    Value weights =
        operands.packed(weight, {count, depth, panelWidth},
                        whole ? 0 : features / width * width * depth);
    Value panel = v.index(0);
    if (whole && count > 1)
      panel = arith::DivUIOp::create(v.b, v.loc, firstColumn, v.index(width));
    forTiles(rows, schedule.getMr(), [&](Value row, int64_t m) {
      emitOne(panel, weights, firstColumn, panelWidth, row, m);
    });
  });
  return success();
}
