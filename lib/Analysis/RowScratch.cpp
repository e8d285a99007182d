// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/RowScratch.h"

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;

int64_t hk::getRowsPerSequence(Type type) {
  int64_t rows = 1;
  for (int64_t size :
       cast<RankedTensorType>(type).getShape().drop_front().drop_back())
    rows *= size;
  return rows;
}

int64_t hk::getBytesPerRow(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getShape().back() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// True if `op` may write its result over its operand, row by row.
static bool isInPlace(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, LayerNormOp, RMSNormOp>(
      op);
}

int64_t hk::estimateScratchPerRow(ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  // The value whose bytes a view shows.
  auto storage = [&](Value value) {
    while (auto split = value.getDefiningOp<SplitOp>())
      value = split.getInput();
    return value;
  };
  auto isTerminator = [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  };

  // The last operation that reads each value, through views.
  DenseMap<Value, size_t> lastUse;
  DenseSet<Value> inMemory;
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (isa<SplitOp>(op))
      continue;
    for (Value operand : op->getOperands())
      lastUse[storage(operand)] = index;
    for (Value result : op->getResults()) {
      SmallVector<Value> views = {result};
      while (!views.empty())
        for (Operation *user : views.pop_back_val().getUsers()) {
          if (isa<SplitOp>(user))
            llvm::append_range(views, user->getResults());
          else if (isTerminator(user) || !inside.contains(user))
            inMemory.insert(result);
        }
    }
  }

  // What is written over by a value in memory was computed in its place.
  for (size_t index = ops.size(); index-- > 0;) {
    Operation *op = ops[index];
    if (!isInPlace(op) || !inMemory.contains(op->getResult(0)))
      continue;
    auto computedLast = [&](Value value) {
      return value.getType() == op->getResult(0).getType() &&
             lastUse[value] == index && value.getDefiningOp() &&
             inside.contains(value.getDefiningOp());
    };
    Value last;
    for (Value operand : op->getOperands())
      if (computedLast(operand) &&
          (!last ||
           last.getDefiningOp()->isBeforeInBlock(operand.getDefiningOp())))
        last = operand;
    if (last)
      inMemory.insert(last);
  }

  int64_t alive = 0, most = 0;
  DenseSet<Value> counted;
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (isa<SplitOp>(op))
      continue;
    SmallVector<Value> dying;
    for (Value operand : op->getOperands()) {
      Value value = storage(operand);
      if (counted.contains(value) && lastUse[value] == index &&
          !llvm::is_contained(dying, value))
        dying.push_back(value);
    }
    auto release = [&] {
      for (Value value : dying) {
        alive -= getBytesPerRow(value.getType());
        counted.erase(value);
      }
    };
    if (isInPlace(op))
      release();
    for (Value result : op->getResults())
      if (!inMemory.contains(result)) {
        alive += getBytesPerRow(result.getType());
        counted.insert(result);
      }
    most = std::max(most, alive);
    if (!isInPlace(op))
      release();
  }
  return most;
}
