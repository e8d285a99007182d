// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/OnTarget.h"

#include "hk/Target/KernelModule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"

namespace hk {
#define GEN_PASS_DEF_ONTARGET
#include "hk/Pipeline/OnTarget.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

namespace {

struct OnTarget : hk::impl::OnTargetBase<OnTarget> {
  OnTarget() = default;
  OnTarget(TargetKind kind, function_ref<void(OpPassManager &)> build) {
    target = kind == TargetKind::GPU ? "gpu" : "cpu";
    build(passes);
    // What the pass prints about itself.
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::interleave(
        passes, stream,
        [&](Pass &pass) { pass.printAsTextualPipeline(stream); }, ",");
    pipelineText = text;
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(OnTargetBase::initializeOptions(options, errorHandler)))
      return failure();
    if (target != "cpu" && target != "gpu")
      return errorHandler("hk-on-target expects target to be cpu or gpu, but "
                          "got '" +
                          target + "'\n");
    return parsePassPipeline(pipelineText, passes);
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!isKernelModule(module) ||
        isGPUKernelModule(module) != (target == "gpu"))
      return markAllAnalysesPreserved();
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }

private:
  OpPassManager passes{ModuleOp::getOperationName()};
};

} // namespace

void hk::addOnTarget(OpPassManager &pm, TargetKind kind,
                     function_ref<void(OpPassManager &)> build) {
  pm.nest<ModuleOp>().addPass(std::make_unique<OnTarget>(kind, build));
}

std::unique_ptr<Pass> hk::createOnTarget() {
  return std::make_unique<OnTarget>();
}
