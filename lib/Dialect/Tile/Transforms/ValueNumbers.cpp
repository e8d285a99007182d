// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValueNumbers.h"

using namespace mlir;
using namespace hk::tile;

/// What a key is of; its first element.
enum KeyKind : int64_t {
  KernelArgument,
  Bounds,
  InductionVariable,
  Carried,
  Selected,
  Computed
};

int64_t ValueNumbers::intern(Key key) {
  return numbers.try_emplace(std::move(key), numbers.size()).first->second;
}

int64_t ValueNumbers::getBounds(scf::ForOp loop) {
  return intern({Bounds, get(loop.getLowerBound()), get(loop.getUpperBound()),
                 get(loop.getStep())});
}

int64_t ValueNumbers::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  int64_t number = intern(getKey(value));
  known[value] = number;
  return number;
}

/// The loops around `op`.
static int64_t getDepth(Operation *op) {
  int64_t depth = 0;
  while ((op = op->getParentOp()))
    depth += isa<scf::ForOp>(op);
  return depth;
}

static int64_t toInt(const void *pointer) {
  return reinterpret_cast<intptr_t>(pointer);
}

ValueNumbers::Key ValueNumbers::getKey(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return {KernelArgument, toInt(isa<KernelOp>(parent) ? nullptr : parent),
              argument.getArgNumber()};
    if (value == loop.getInductionVar())
      return {InductionVariable, getBounds(loop), getDepth(loop)};
    return {Carried, getBounds(loop), getDepth(loop),
            get(loop.getTiedLoopInit(argument)->get())};
  }
  Operation *op = value.getDefiningOp();
  int64_t result = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {Carried, getBounds(loop), getDepth(loop) + 1,
            get(loop.getInitArgs()[result])};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {Selected, get(branch.getCondition()),
            get(branch.thenYield().getOperand(result)),
            get(branch.elseYield().getOperand(result))};
  // Operations with regions, and what has no twin in the other role, have
  // numbers of their own.
  if (op->getNumRegions() != 0)
    return {Computed, toInt(op), result};
  Key key = {Computed, toInt(op->getName().getAsOpaquePointer()),
             toInt(op->getAttrDictionary().getAsOpaquePointer()), result};
  for (Value operand : op->getOperands())
    key.push_back(get(operand));
  return key;
}
