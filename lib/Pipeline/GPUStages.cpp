// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/GPUStages.h"

#include "hk/Conversion/TileToNVVM/TileToNVVM.h"
#include "hk/Dialect/Tile/Transforms/Passes.h"
#include "hk/Pipeline/Pipeline.h"

using namespace mlir;
using namespace hk;

void hk::addTileStage(OpPassManager &, const PipelineOptions &) {}

void hk::addTileScheduleStage(OpPassManager &pm, const PipelineOptions &) {
  tile::buildTileSchedulePipeline(pm);
}

void hk::addGPUToLLVMStage(OpPassManager &pm, const PipelineOptions &) {
  buildTileToLLVMPipeline(pm);
}
