// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Uniformity.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace hk::tile;

SmallVector<Value> hk::tile::getControl(Operation *op) {
  SmallVector<Value> values;
  for (Operation *parent = op->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      values.append(
          {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else if (!isa<RoleOp>(parent))
      llvm::append_range(values, parent->getOperands());
  }
  return values;
}

static bool isFrag(Value value) { return isa<FragType>(value.getType()); }

/// Whether `op` divides the number of the unit so that all of `together` get
/// the same.
static bool isOfGroup(Operation *op, int64_t together) {
  auto division = dyn_cast<arith::DivUIOp>(op);
  if (together == 0 || !division || !division.getLhs().getDefiningOp<UnitOp>())
    return false;
  std::optional<int64_t> by = getConstantIntValue(division.getRhs());
  return by && *by > 0 && *by % together == 0;
}

/// What `value` is computed from, or the operation that makes it vary.
static Operation *addSources(Value value, int64_t together,
                             SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<KernelOp>(parent))
      return nullptr;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return parent;
    if (value == loop.getInductionVar()) {
      sources.append(
          {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      return nullptr;
    }
    sources.push_back(loop.getTiedLoopInit(argument)->get());
    sources.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    return nullptr;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    sources.append(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    sources.push_back(loop.getInitArgs()[number]);
    sources.push_back(loop.getYieldedValues()[number]);
    return nullptr;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    sources.push_back(branch.getCondition());
    sources.push_back(branch.thenYield().getOperand(number));
    sources.push_back(branch.elseYield().getOperand(number));
    return nullptr;
  }
  if (isOfGroup(op, together))
    return nullptr;
  if (isa<UnitOp>(op) || op->getNumRegions() != 0 || isFrag(value) ||
      llvm::any_of(op->getOperands(), isFrag))
    return op;
  llvm::append_range(sources, op->getOperands());
  return nullptr;
}

Operation *hk::tile::findVarying(ValueRange values, int64_t together) {
  SmallVector<Value> work(values.begin(), values.end());
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *op = addSources(value, together, work))
      return op;
  }
  return nullptr;
}

LogicalResult hk::tile::verifyCollective(Operation *op, ValueRange operands) {
  SmallVector<Value> values = getControl(op);
  llvm::append_range(values, operands);
  Operation *varying = findVarying(values);
  if (!varying)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError()
      << "expects bounds, conditions and indices that are the same for all "
         "units, but got what depends on "
      << varying->getName();
  diag.attachNote(varying->getLoc()) << "here";
  return diag;
}
