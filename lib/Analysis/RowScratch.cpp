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

/// True if code generation may compute `op` on the elements of another loop.
static bool isElementwise(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, CastOp>(op);
}

namespace {

/// The loop nests that a run of operations becomes, as code generation forms
/// them: an element-wise operation with one use joins the element-wise
/// operation that uses it, and each such group takes in one linear operation.
class Groups {
public:
  explicit Groups(ArrayRef<Operation *> ops) {
    for (auto [index, op] : llvm::enumerate(ops))
      indexOf[op] = index;
    DenseSet<size_t> hasCore;
    for (Operation *op : llvm::reverse(ops)) {
      size_t &root = rootOf[op];
      root = indexOf[op];
      if (!isElementwise(op) && !isa<LinearOp>(op))
        continue;
      Operation *user = op->hasOneUse() ? *op->user_begin() : nullptr;
      if (!user || !contains(user) || !isElementwise(user))
        continue;
      if (isa<LinearOp>(op) && !hasCore.insert(rootOf.lookup(user)).second)
        continue;
      root = rootOf.lookup(user);
    }
  }

  bool contains(Operation *op) const { return indexOf.contains(op); }
  /// The position of the last operation of the group of `op`.
  size_t root(Operation *op) const { return rootOf.lookup(op); }
  /// True if the results of `op` are never stored.
  bool isInlined(Operation *op) const { return root(op) != indexOf.lookup(op); }

private:
  DenseMap<Operation *, size_t> indexOf, rootOf;
};

} // namespace

/// The value whose bytes a view shows.
static Value storage(Value value) {
  while (auto split = value.getDefiningOp<SplitOp>())
    value = split.getInput();
  return value;
}

/// True if an operation outside of `groups` reads `value`, through views.
static bool isReadOutside(Value value, const Groups &groups) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<SplitOp>(user))
      return llvm::any_of(user->getResults(), [&](Value view) {
        return isReadOutside(view, groups);
      });
    return !groups.contains(user);
  });
}

int64_t hk::estimateScratchPerRow(ArrayRef<Operation *> ops) {
  Groups groups(ops);
  DenseMap<Value, size_t> lastUse;
  for (Operation *op : ops)
    if (!isa<SplitOp>(op))
      for (Value operand : op->getOperands()) {
        size_t &last = lastUse[storage(operand)];
        last = std::max(last, groups.root(op));
      }

  int64_t alive = 0, most = 0;
  SmallVector<SmallVector<int64_t>> dying(ops.size());
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (isa<SplitOp>(op) || groups.isInlined(op))
      continue;
    for (Value result : op->getResults())
      if (!isReadOutside(result, groups)) {
        int64_t bytes = getBytesPerRow(result.getType());
        alive += bytes;
        dying[std::max<size_t>(lastUse.lookup(result), index)].push_back(bytes);
      }
    most = std::max(most, alive);
    for (int64_t bytes : dying[index])
      alive -= bytes;
  }
  return most;
}
