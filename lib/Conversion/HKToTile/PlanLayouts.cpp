// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values lie in registers as strips. In a slab a lane has two columns of
// each eight, so that of f32 it loads and stores 8 bytes of a row at a time,
// and the cache looks at one row in a clock, however little of it is wanted. In
// a strip a lane has 16 bytes beside each other. Nothing is moved for that:
// what a matrix instruction takes for a column is another one, so rows of the
// weight that makes the value, and columns of the weight that reads it, are
// packed in that order.
//
// Attention counts columns: heads lie side by side, keys and values come from
// memory or are published. What it reads and writes is slabs.

#include "KernelPlan.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <numeric>

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The columns of which the four lanes of a row have 16 bytes each, of 16 bits
/// and of f32. More of f32 would be two accesses, each of half sectors, which
/// memory takes as long for as for whole ones.
static constexpr int64_t kHalfStrip = 32, kWordStrip = 16;
/// Whether what `plan` multiplies is loaded by no loop and for no loop. Else
/// tile-residency may have it brought by producers, in rows as they are.
bool KernelPlan::isLoadedOnce(const LinearPlan &plan) const {
  LinearOp op = plan.op;
  if (plan.sums)
    return plan.depth <= 2 * schedule.getDepth();
  if (!plan.wholeInput)
    return false;
  return isResident(op.getResult()) ||
         (schedule.getHeads() == 1 && ownsSequences());
}

void KernelPlan::setLayouts() {
  if (isStream || getOperandType().getIntOrFloatBitWidth() != 16)
    return;
  // Values of one layout, since they meet element by element; and for some of
  // them, what the strip has to divide.
  llvm::EquivalenceClasses<Value> classes;
  SmallVector<std::pair<Value, int64_t>> limits;
  auto limit = [&](Value value, int64_t columns) {
    limits.push_back({value, columns});
  };
  int64_t ofSchedule =
      std::gcd(std::gcd(schedule.getColumns(), schedule.getBlock()),
               schedule.getDepth());
  auto add = [&](Value value) {
    classes.insert(value);
    limit(value, std::gcd(ofSchedule, getFeatures(value)));
    bool isMemory =
        isa<BlockArgument>(value) || llvm::is_contained(getYielded(), value);
    if (isMemory && getElementTypeOrSelf(value).isF32())
      limit(value, kWordStrip);
  };
  for (Operation &op : getBody().without_terminator()) {
    if (!isa<ScopeOpInterface>(op))
      continue;
    for (Value value : getActivations(&op))
      add(value);
    for (Value value : op.getResults())
      add(value);
    if (auto linear = dyn_cast<LinearOp>(op)) {
      const LinearPlan &plan = getLinear(linear);
      // Tiles may have fewer columns than what is multiplied at once, which is
      // all of the input, a block of it, or a step of the schedule.
      for (int64_t columns : {plan.depth, getBlockColumns(linear.getInput()),
                              schedule.getDepth()})
        limit(linear.getInput(),
              chooseTileColumns(padColumns(plan.features),
                                padColumns(std::min(columns, plan.depth)),
                                /*bytes=*/2));
      if (getPlace(linear.getInput()) == Place::Memory && !isLoadedOnce(plan))
        limit(linear.getInput(), 1);
      continue;
    }
    if (isa<AttentionOp>(op)) {
      for (Value value : getActivations(&op))
        limit(value, 1);
      limit(op.getResult(0), 1);
      continue;
    }
    for (Value operand : getActivations(&op))
      for (Value result : op.getResults())
        classes.unionSets(operand, result);
    if (auto split = dyn_cast<SplitOp>(op))
      for (OpResult result : split.getResults())
        limit(result, split.getColumnOffset(result.getResultNumber()));
  }
  llvm::DenseMap<Value, int64_t> widths;
  for (auto [value, columns] : limits) {
    int64_t &width =
        widths.try_emplace(classes.getLeaderValue(value), kHalfStrip)
            .first->second;
    width = std::gcd(width, columns);
  }
  for (const auto *member : classes) {
    Value value = member->getData();
    int64_t width = widths.lookup(classes.getLeaderValue(value));
    if (width >= kWordStrip)
      strips[value] =
          width == kHalfStrip ? FragLayout::Strip32 : FragLayout::Strip16;
  }
}

FragLayout KernelPlan::getLayout(Value value) const {
  if (isLine)
    return FragLayout::Line;
  auto strip = strips.find(value);
  return strip == strips.end() ? FragLayout::Slab : strip->second;
}
