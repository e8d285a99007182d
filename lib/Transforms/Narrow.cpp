// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-narrow: what only matrix units read crosses memory in their type.

#include "hk/Transforms/Passes.h"
#include "hk/Transforms/PlanClone.h"

#include "mlir/IR/Remarks.h"

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

/// True if kernels alone read `value`, as a matrix operand.
static bool mayBeNarrow(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32() &&
         !value.use_empty() &&
         llvm::all_of(value.getUses(), [](OpOperand &use) {
           auto kernel = dyn_cast<KernelOp>(use.getOwner());
           return kernel && isMatrixOperand(kernel.getBody().getArgument(
                                use.getOperandNumber()));
         });
}

static void narrow(OpResult result) {
  auto kernel = cast<KernelOp>(result.getOwner());
  auto wide = cast<RankedTensorType>(result.getType());
  auto stored = wide.clone(Float16Type::get(wide.getContext()));
  Operation *yield = kernel.getBody().front().getTerminator();
  OpBuilder builder(yield);
  Value value = yield->getOperand(result.getResultNumber());
  yield->setOperand(result.getResultNumber(),
                    CastOp::create(builder, value.getLoc(), stored, value));
  result.setType(stored);
  for (OpOperand &use : result.getUses()) {
    auto reader = cast<KernelOp>(use.getOwner());
    BlockArgument argument =
        reader.getBody().getArgument(use.getOperandNumber());
    argument.setType(stored);
    builder.setInsertionPointToStart(&reader.getBody().front());
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
        if (!mayBeNarrow(result))
          continue;
        narrow(result);
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
