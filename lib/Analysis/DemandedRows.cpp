// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/DemandedRows.h"

#include "hk/Dialect/HK/HKDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hk;

//===----------------------------------------------------------------------===//
// RowDemand
//===----------------------------------------------------------------------===//

bool RowDemand::isWithin(Value mask) const {
  return isNone() || llvm::is_contained(masks, mask);
}

RowDemand RowDemand::restrictTo(Value mask) const {
  RowDemand result = *this;
  if (!isWithin(mask))
    result.masks.push_back(mask);
  return result;
}

RowDemand RowDemand::withMasks(llvm::function_ref<bool(Value)> keep) const {
  RowDemand result = *this;
  llvm::erase_if(result.masks, [&](Value mask) { return !keep(mask); });
  return result;
}

bool RowDemand::join(const RowDemand &other) {
  if (other.isNone())
    return false;
  if (isNone()) {
    *this = other;
    return true;
  }
  size_t before = masks.size();
  llvm::erase_if(masks, [&](Value mask) { return !other.isWithin(mask); });
  return masks.size() != before;
}

//===----------------------------------------------------------------------===//
// DemandedRows
//===----------------------------------------------------------------------===//

DemandedRows::DemandedRows(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  // Sets only grow, and each can grow only as often as there are masks, so
  // this ends; without loops, the second round finds nothing new.
  do {
    changed = false;
    for (Operation *op : llvm::reverse(ops))
      visit(op);
  } while (changed);
}

void DemandedRows::add(Value value, const RowDemand &demand) {
  if (demands[value].join(demand))
    changed = true;
}

/// True if `value` is computed inside `region`, or is an argument in it.
static bool isInside(Value value, Region &region) {
  return region.isAncestor(value.getParentRegion());
}

void DemandedRows::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      add(bound, RowDemand::all());
    for (auto [arg, init, yielded, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      RowDemand demand = get(arg).withMasks(
          [&](Value mask) { return !isInside(mask, loop.getRegion()); });
      demand.join(get(result));
      add(init, demand);
      add(yielded, demand);
    }
    return;
  }
  if (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp()))
    return;

  if (auto attention = dyn_cast<AttentionOp>(op)) {
    RowDemand demand = get(attention.getResult());
    add(attention.getQuery(), demand);
    RowDemand keys = demand.withMasks([&](Value mask) {
      // Lengths are [B], a key_mask is [B, S].
      return attention.getCausal() &&
             cast<RankedTensorType>(mask.getType()).getRank() == 1;
    });
    if (Value mask = attention.getMask()) {
      keys = keys.restrictTo(mask);
      add(mask, RowDemand::all());
    }
    add(attention.getKey(), keys);
    add(attention.getValue(), keys);
    return;
  }

  auto scoped = dyn_cast<ScopeOpInterface>(op);
  if (!scoped || scoped.getScope() != Scope::Row) {
    for (Value operand : op->getOperands())
      add(operand, RowDemand::all());
    return;
  }
  RowDemand demand;
  for (Value result : op->getResults())
    demand.join(get(result));
  if (auto mask = dyn_cast<MaskRowsOp>(op))
    demand = demand.restrictTo(mask.getMask());
  // Weights, gammas and masks have no rows of tokens.
  bool isElementwise = isa<AddOp, MulOp>(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    add(operand, i == 0 || isElementwise ? demand : RowDemand::all());
}
