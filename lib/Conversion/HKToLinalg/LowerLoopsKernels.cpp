// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopsKernel.h"
#include "hk/Conversion/HKToLinalg/HKToLinalg.h"
#include "hk/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace hk {
#define GEN_PASS_DEF_LOWERLOOPSKERNELSPASS
#include "hk/Conversion/Passes.h.inc"
} // namespace hk

using namespace mlir;
using namespace hk;

/// Tensors to buffers: results are computed where they go, if they can be.
static LogicalResult bufferize(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  if (failed(bufferization::eliminateEmptyTensors(rewriter, function)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(function, options, state);
}

/// Linalg, and the copies that bufferisation leaves, to loops. What is not
/// lowered is left for `verifyKernel`.
static void lowerToLoops(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](Operation *op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      // A result that is computed in place is copied to where it is.
      if (copy.getSource() == copy.getTarget())
        return rewriter.eraseOp(copy);
      rewriter.setInsertionPoint(copy);
      ops.push_back(rewriter.replaceOpWithNewOp<linalg::CopyOp>(
          copy, copy.getSource(), copy.getTarget()));
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      ops.push_back(linalgOp);
    }
  });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (succeeded(linalg::linalgOpToLoops(rewriter, op)))
      rewriter.eraseOp(op);
  }
}

/// What a kernel may hold: the rest has no lowering to LLVM, or allocates.
static LogicalResult verifyKernel(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp,
            memref::CopyOp>(op) ||
        !isa_and_present<arith::ArithDialect, func::FuncDialect,
                         LLVM::LLVMDialect, math::MathDialect,
                         memref::MemRefDialect, scf::SCFDialect,
                         BuiltinDialect>(op->getDialect())) {
      // No test: a check of the steps above, which no variant is known to fail.
      op->emitOpError() << "is left in a kernel that is lowered to loops";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerLoopsKernels
    : hk::impl::LowerLoopsKernelsPassBase<LowerLoopsKernels> {
  using LowerLoopsKernelsPassBase::LowerLoopsKernelsPassBase;

  void runOnOperation() override {
    for (auto executable :
         llvm::to_vector(getOperation().getOps<ExecutableOp>()))
      for (auto [index, variant] :
           llvm::enumerate(executable.getBody().getOps<VariantOp>()))
        if (isa<LoopsAttr>(variant.getSchedule()) &&
            failed(lower(executable, variant, index)))
          return signalPassFailure();
  }

private:
  /// The module for kernels of `isa`, added if there is none yet.
  ModuleOp getModule(StringRef isa) {
    std::string name = (isa + ".loops").str();
    if (auto module = getOperation().lookupSymbol<ModuleOp>(name))
      return module;
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto module =
        ModuleOp::create(builder, getOperation().getLoc(), StringRef(name));
    module->setAttr("hk.isa", builder.getStringAttr(isa));
    return module;
  }

  LogicalResult cleanUp(func::FuncOp function) {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    return runPipeline(passes, function);
  }

  LogicalResult lower(ExecutableOp executable, VariantOp variant,
                      int64_t index) {
    AffineMap perSequence =
        AffineMap::get(0, 1, getAffineSymbolExpr(0, &getContext()));
    if (variant.getGrid() != perSequence)
      return variant.emitOpError()
             << "expects a grid of one workgroup a sequence ("
             << AffineMapAttr::get(perSequence)
             << ") with a #hk.loops schedule, but got "
             << AffineMapAttr::get(variant.getGrid());

    ModuleOp module = getModule(variant.getSchedule().getIsaName());
    StringRef name = executable.getSymName();
    FailureOr<SequenceFunction> sequence =
        buildSequenceFunction(variant, (name + ".sequence").str(), module);
    if (failed(sequence))
      return failure();
    func::FuncOp function = sequence->function;
    // No clean-up before: one tensor.empty for all results would be one buffer
    // to be analysed for all of them.
    if (failed(convertHKToLinalg(function)) || failed(bufferize(function)))
      return failure();
    lowerToLoops(function);
    if (failed(cleanUp(function)))
      return failure();
    int64_t scratch = assignScratch(function);
    func::FuncOp kernel = buildKernelEntry(*sequence, name, scratch);
    kernel->setAttr("hk.executable",
                    FlatSymbolRefAttr::get(&getContext(), name));
    kernel->setAttr("hk.variant",
                    Builder(&getContext()).getI64IntegerAttr(index));
    remark::analysis(variant.getLoc(), remark::RemarkOpts::name("LoopsKernel")
                                           .category("hk-lower-loops-kernels")
                                           .function(name))
        << "lowered to plain loops" << remark::metric("Scratch", scratch);
    return verifyKernel(kernel);
  }
};
} // namespace
