// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Conversion/TileToNVVM/TileToNVVM.h"

#include "hk/Conversion/Passes.h"
#include "hk/Target/CPU/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void hk::buildTileToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createTileExpandMath());
  pm.addPass(createTileToNVVM());
  // The same scalars are computed for many registers.
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  // An index is 32 bits wide.
  ArithToLLVMConversionPassOptions arith;
  arith.indexBitwidth = 32;
  pm.addPass(createArithToLLVMConversionPass(arith));
  pm.addPass(createConvertMathToLLVMPass());
  ConvertControlFlowToLLVMPassOptions controlFlow;
  controlFlow.indexBitwidth = 32;
  pm.addPass(createConvertControlFlowToLLVMPass(controlFlow));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCheckLLVMPass());
}

void hk::registerTileToLLVMPipeline() {
  PassPipelineRegistration<>(
      "hk-tile-to-llvm",
      "Lower a module of tile kernels to the LLVM dialect (nest it in the "
      "module of the network)",
      buildTileToLLVMPipeline);
}
