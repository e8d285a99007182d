// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelGroups.h"

using namespace mlir;
using namespace hk;

bool hk::isElementwise(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, CastOp>(op);
}

KernelGroups::KernelGroups(VariantOp variant) {
  Block &block = variant.getBody().front();
  yield = block.getTerminator();
  // The element-wise operation that a value is computed inside of, at last.
  DenseMap<Operation *, Operation *> rootOf;
  for (Operation &op : llvm::reverse(block)) {
    if (!isElementwise(&op))
      continue;
    Operation *user = op.hasOneUse() ? *op.getResult(0).user_begin() : nullptr;
    if (user && isElementwise(user)) {
      inlined.insert(op.getResult(0));
      rootOf[&op] = rootOf.lookup(user);
    } else {
      rootOf[&op] = &op;
    }
  }
  // One linear operation for each root, the last: its operands are ready when
  // those of the root are.
  DenseMap<Operation *, LinearOp> coreOf;
  for (Operation &op : llvm::reverse(block)) {
    auto linear = dyn_cast<LinearOp>(op);
    if (!linear || !linear->hasOneUse())
      continue;
    Operation *root = rootOf.lookup(*linear->user_begin());
    if (!root || !coreOf.try_emplace(root, linear).second)
      continue;
    inlined.insert(linear.getResult());
  }
  for (Operation &op : block.without_terminator()) {
    if (isa<PackedGetOp, SplitOp>(op) || isInline(op.getResult(0)))
      continue;
    KernelGroup group{&op, coreOf.lookup(&op)};
    if (auto linear = dyn_cast<LinearOp>(op))
      group.core = linear;
    groups.push_back(group);
    for (Value operand : op.getOperands())
      noteUses(operand, groups.size() - 1);
  }
  // What is yielded is used after the last group.
  for (Value value : yield->getOperands())
    noteUses(value, groups.size());
}

void KernelGroups::noteUses(Value value, unsigned group) {
  Operation *op = value.getDefiningOp();
  if (op && isa<SplitOp>(op)) {
    noteUses(op->getOperand(0), group);
  } else if (op && isInline(value)) {
    for (Value operand : op->getOperands())
      noteUses(operand, group);
  }
  unsigned &last = lastUses[value];
  last = std::max(last, group);
}

int KernelGroups::resultIndex(Value value) const {
  for (auto [index, yielded] : llvm::enumerate(yield->getOperands()))
    if (yielded == value)
      return index;
  return -1;
}
