// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-narrow: what only matrix units read crosses memory in their type.

#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace hk {
#define GEN_PASS_DEF_NARROW
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// True if every use of `value`, or of a view of it, is a matrix operand.
static bool isMatrixOperand(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<SplitOp>(user))
      return llvm::all_of(user->getResults(), isMatrixOperand);
    if (isa<LinearOp>(user))
      return use.getOperandNumber() == 0;
    return isa<AttentionOp>(user) && use.getOperandNumber() < 3;
  });
}

namespace {

/// The values that have one type because a loop carries one to the next, from
/// the results of kernels to the operands of kernels.
class Group {
public:
  /// True if only kernels compute and read the values, as matrix operands.
  bool collect(Value value);
  void narrow();

private:
  bool add(Value value);
  bool addCarried(scf::ForOp loop, unsigned index);

  llvm::SetVector<Value> values;
  SmallVector<OpOperand *> reads;
};

} // namespace

bool Group::collect(Value value) { return add(value) && !reads.empty(); }

bool Group::addCarried(scf::ForOp loop, unsigned index) {
  return add(loop.getInitArgs()[index]) && add(loop.getRegionIterArg(index)) &&
         add(loop.getYieldedValues()[index]) && add(loop.getResult(index));
}

bool Group::add(Value value) {
  if (!values.insert(value))
    return true;
  if (!cast<RankedTensorType>(value.getType()).getElementType().isF32())
    return false;
  // Where it comes from.
  if (auto loop = value.getDefiningOp<scf::ForOp>()) {
    if (!addCarried(loop, cast<OpResult>(value).getResultNumber()))
      return false;
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto around = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!around || !addCarried(around, argument.getArgNumber() -
                                           around.getNumInductionVars()))
      return false;
  } else if (!value.getDefiningOp<KernelOp>()) {
    return false;
  }
  // Where it goes.
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      unsigned first = loop.getNumControlOperands();
      if (!addCarried(loop, use.getOperandNumber() - first))
        return false;
    } else if (isa<scf::YieldOp>(user)) {
      auto around = dyn_cast<scf::ForOp>(user->getParentOp());
      if (!around || !addCarried(around, use.getOperandNumber()))
        return false;
    } else {
      auto kernel = dyn_cast<KernelOp>(user);
      if (!kernel || !isMatrixOperand(
                         kernel.getBody().getArgument(use.getOperandNumber())))
        return false;
      reads.push_back(&use);
    }
  }
  return true;
}

void Group::narrow() {
  auto wide = cast<RankedTensorType>(values.front().getType());
  auto stored = wide.clone(Float16Type::get(wide.getContext()));
  OpBuilder builder(wide.getContext());
  for (Value value : values) {
    value.setType(stored);
    auto kernel = value.getDefiningOp<KernelOp>();
    if (!kernel)
      continue;
    unsigned index = cast<OpResult>(value).getResultNumber();
    Operation *yield = kernel.getBody().front().getTerminator();
    Value computed = yield->getOperand(index);
    builder.setInsertionPoint(yield);
    yield->setOperand(
        index, CastOp::create(builder, computed.getLoc(), stored, computed));
  }
  for (OpOperand *use : reads) {
    auto kernel = cast<KernelOp>(use->getOwner());
    BlockArgument argument =
        kernel.getBody().getArgument(use->getOperandNumber());
    argument.setType(stored);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto widened = CastOp::create(builder, argument.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(widened, widened);
  }
}

namespace {
class Narrow : public hk::impl::NarrowBase<Narrow> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<std::optional<PlanClone>> clone = getPlanClone(function);
    if (failed(clone))
      return signalPassFailure();
    if (!*clone || (*clone)->operands != Operands::F16)
      return;
    function.walk([&](KernelOp kernel) {
      for (OpResult result : kernel->getResults()) {
        Group group;
        if (!group.collect(result))
          continue;
        group.narrow();
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Narrowed")
                                            .category("hk-narrow")
                                            .function(function.getName()))
            << remark::add("result {0} of kernel @{1} is stored as f16: only "
                           "matrix units read it",
                           result.getResultNumber(), kernel.getName());
      }
    });
  }
};
} // namespace
