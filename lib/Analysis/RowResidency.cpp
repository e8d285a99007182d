// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/RowResidency.h"

#include "hk/Dialect/HK/HKDialect.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hk;

static bool isElementwise(Operation *op) {
  return isa<ActivationOp, AddOp, MulOp, MaskRowsOp, CastOp>(op);
}

/// The value whose bytes a view shows.
static Value storage(Value value) {
  while (auto split = value.getDefiningOp<SplitOp>())
    value = split.getInput();
  return value;
}

namespace {

class Residency {
public:
  Residency(ArrayRef<Operation *> ops, int64_t operandBits);

  RowResidency estimate();

private:
  void findReaders(Value root, Value value);
  /// The result of `op`, which is not a view.
  static Value resultOf(Operation *op) { return op->getResult(0); }
  bool isInside(Value value) const {
    return slots.contains(value.getDefiningOp());
  }
  bool isResident(Value value) const {
    return isInside(value) && !streamed.contains(value);
  }
  ArrayRef<Operation *> readersOf(Value value) {
    return readers[value].getArrayRef();
  }
  /// The sole reader of `value` in the kernel, or null.
  Operation *soleReader(Value value) {
    return readersOf(value).size() == 1 ? readersOf(value)[0] : nullptr;
  }
  bool isStoredOnly(Value value);
  bool mayComeInBlocks(Value value);
  void place(size_t index);
  void moveToSlot(Value streamedValue, size_t slot);
  size_t lastSlot(Value value);

  int64_t f32Registers(Value value) const;
  int64_t copyRegisters(Value value) const;
  /// True if only matrix units read `value` in the kernel.
  bool isOperandOnly(Value value);
  void addValue(Value value);

  SmallVector<Operation *> ops;
  int64_t operandBits;
  /// When an operation runs: those in one slot run together, block by block.
  DenseMap<Operation *, size_t> slots;
  DenseMap<Value, llvm::SmallSetVector<Operation *, 4>> readers;
  DenseSet<Value> streamed;
  /// Values whose registers the result of their one reader takes over.
  DenseSet<Value> inPlace;
  SmallVector<int64_t> registers;
};

} // namespace

Residency::Residency(ArrayRef<Operation *> all, int64_t operandBits)
    : operandBits(operandBits) {
  for (Operation *op : all)
    if (!isa<SplitOp>(op) && op->getNumResults() == 1) {
      slots[op] = ops.size();
      ops.push_back(op);
    }
  for (Operation *op : ops) {
    readers[resultOf(op)];
    findReaders(resultOf(op), resultOf(op));
  }
  registers.assign(ops.size(), 0);
}

void Residency::findReaders(Value root, Value value) {
  for (Operation *user : value.getUsers()) {
    if (isa<SplitOp>(user))
      for (Value view : user->getResults())
        findReaders(root, view);
    else if (slots.contains(user))
      readers[root].insert(user);
  }
}

/// True if `value` is only stored, or changed element by element before that.
bool Residency::isStoredOnly(Value value) {
  if (readersOf(value).empty())
    return true;
  Operation *reader = soleReader(value);
  return reader && isElementwise(reader) && isStoredOnly(resultOf(reader));
}

/// True if nobody in the kernel needs more than a block of `value` at a time.
bool Residency::mayComeInBlocks(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!isa<LinearOp>(producer) && !isElementwise(producer))
    return false;
  if (readersOf(value).empty())
    return true;
  Operation *reader = soleReader(value);
  if (!reader)
    return false;
  if (auto linear = dyn_cast<LinearOp>(reader))
    return storage(linear.getInput()) == value;
  return isElementwise(reader) && mayComeInBlocks(resultOf(reader));
}

/// Whatever produces `value` block by block runs in `slot`.
void Residency::moveToSlot(Value value, size_t slot) {
  if (!isInside(value) || !streamed.contains(value))
    return;
  slots[value.getDefiningOp()] = slot;
  for (Value operand : value.getDefiningOp()->getOperands())
    moveToSlot(storage(operand), slot);
}

/// Decides whether the result of an operation is resident, and its slot.
void Residency::place(size_t index) {
  Operation *op = ops[index];
  Value result = resultOf(op);
  if (auto linear = dyn_cast<LinearOp>(op)) {
    Value input = storage(linear.getInput());
    if (isInside(input) && streamed.contains(input))
      moveToSlot(input, index); // The sums of all blocks: resident.
    else if (mayComeInBlocks(result))
      streamed.insert(result);
    return;
  }
  if (!isElementwise(op)) {
    if (isStoredOnly(result))
      streamed.insert(result);
    return;
  }
  size_t latest = 0;
  Value last;
  for (Value operand : op->getOperands()) {
    Value value = storage(operand);
    if (!isInside(value))
      continue;
    if (streamed.contains(value))
      streamed.insert(result);
    if (!last || slots[value.getDefiningOp()] >= latest) {
      last = value;
      latest = slots[value.getDefiningOp()];
    }
  }
  if (streamed.contains(result))
    return;
  if (last && soleReader(last) == op) {
    inPlace.insert(last);
    slots[op] = latest;
  } else if (isStoredOnly(result)) {
    streamed.insert(result);
  }
}

size_t Residency::lastSlot(Value value) {
  size_t last = slots[value.getDefiningOp()];
  for (Operation *reader : readersOf(value))
    last = std::max(last, slots[reader]);
  return last;
}

static int64_t features(Value value) {
  return llvm::alignTo(
      cast<RankedTensorType>(value.getType()).getShape().back(), 8);
}

int64_t Residency::f32Registers(Value value) const {
  return features(value) / 2;
}

int64_t Residency::copyRegisters(Value value) const {
  return features(value) * operandBits / 64;
}

bool Residency::isOperandOnly(Value value) {
  return llvm::all_of(readersOf(value), [&](Operation *reader) {
    return isa<LinearOp>(reader) || isa<AttentionOp>(reader);
  });
}

/// Adds the registers of a resident value to the slots it lives in.
void Residency::addValue(Value value) {
  Operation *op = value.getDefiningOp();
  size_t begin = slots[op], end = lastSlot(value);
  bool copyOnly = isOperandOnly(value);
  for (size_t slot = begin; slot <= end; ++slot) {
    // The sums of a linear operation are f32 until they are complete.
    bool isSum = slot == begin && (isa<LinearOp>(op) || isElementwise(op));
    registers[slot] +=
        copyOnly && !isSum ? copyRegisters(value) : f32Registers(value);
  }
  if (!copyOnly)
    for (Operation *reader : readersOf(value))
      if (isa<LinearOp>(reader))
        registers[slots[reader]] += copyRegisters(value);

  // A result of the last slot takes the registers over, element by element.
  if (copyOnly || end == begin)
    return;
  for (Operation *reader : readersOf(value))
    if (slots[reader] == end && isElementwise(reader) &&
        isResident(resultOf(reader)) && !isa<CastOp>(reader)) {
      registers[end] -= f32Registers(value);
      return;
    }
}

RowResidency Residency::estimate() {
  for (size_t index = 0; index < ops.size(); ++index)
    place(index);
  for (Operation *op : ops) {
    Value result = resultOf(op);
    if (isResident(result) && !inPlace.contains(result))
      addValue(result);
    size_t slot = slots[op];
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      constexpr int64_t keys = 32;
      int64_t head = llvm::alignTo(attention.getHeadDim(), 8);
      registers[slot] += (head + keys) / 2 + (head + keys) * operandBits / 64;
    } else if (isa<LayerNormOp, RMSNormOp>(op)) {
      Value input = storage(op->getOperand(0));
      if (!isInside(input))
        registers[slot] += f32Registers(input);
    } else if (auto linear = dyn_cast<LinearOp>(op)) {
      Value input = storage(linear.getInput());
      if (!isInside(input) && streamed.contains(result))
        registers[slot] += copyRegisters(input);
    }
  }
  RowResidency most;
  for (Operation *op : ops)
    if (registers[slots[op]] > most.registers)
      most = {registers[slots[op]], op};
  return most;
}

RowResidency hk::estimateRowResidency(ArrayRef<Operation *> ops,
                                      int64_t operandBits) {
  return Residency(ops, operandBits).estimate();
}
