// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Transforms/Passes.h"
#include "hk/Transforms/Retype.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace hk {
#define GEN_PASS_DEF_WIDENPASS
#include "hk/Transforms/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

static bool isNarrow(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         (tensor.getElementType().isF16() || tensor.getElementType().isBF16());
}

/// True if any value of the function, its inputs included, is f16 or bf16.
static bool isNarrow(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(),
                      [](Type type) { return isNarrow(type); }) ||
         function
             .walk([](Operation *op) {
               return llvm::any_of(op->getResultTypes(),
                                   [](Type type) { return isNarrow(type); })
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

namespace {
struct Widen : hk::impl::WidenPassBase<Widen> {
  using WidenPassBase::WidenPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || function->hasAttr("hk.oracle_of") ||
        !isNarrow(function))
      return;
    auto f32 = Float32Type::get(&getContext());
    auto widen = [f32](FloatType type) -> FloatType {
      return type.isF16() || type.isBF16() ? FloatType(f32) : type;
    };
    FloatRetyping retyping;
    retyping.elementType = widen;
    if (failed(retypeFloats(function, retyping)))
      return signalPassFailure();
    remark::passed(function.getLoc(), remark::RemarkOpts::name("Widened")
                                          .category("hk-widen")
                                          .function(function.getSymName()))
        << "computes in f32; inputs are widened and results rounded once";
  }
};
} // namespace
