// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/GPUStages.h"

#include "hk/Conversion/Passes.h"
#include "hk/Conversion/TileToNVVM/TileToNVVM.h"
#include "hk/Dialect/Tile/TileDialect.h"
#include "hk/Dialect/Tile/Transforms/Passes.h"
#include "hk/Pipeline/Pipeline.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hk;

void hk::addTileStage(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createHKToTile());
  OpPassManager &kernels = pm.nest<ModuleOp>().nest<tile::KernelOp>();
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void hk::addTileScheduleStage(OpPassManager &pm, const PipelineOptions &) {
  tile::buildTileSchedulePipeline(pm);
}

void hk::addGPUToLLVMStage(OpPassManager &pm, const PipelineOptions &) {
  buildTileToLLVMPipeline(pm);
}
