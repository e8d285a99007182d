// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace hk;

void tile::buildTileSchedulePipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<KernelOp>();
  kernels.addPass(createTileResidency());
  kernels.addPass(createTileBlock());
  kernels.addPass(createTileHoistLoads());
  kernels.addPass(createTileHoistVectors());
  kernels.addPass(createTileWarpgroupMma());
  kernels.addPass(createTilePackTape());
  kernels.addPass(createTileChannels());
  kernels.addPass(createTilePlaceWaits());
  kernels.addPass(createTilePartition());
  kernels.addPass(createTilePlaceGridWaits());
  kernels.addPass(createTileCheckChannels());
  kernels.addPass(createTileAllocate());
  kernels.addPass(createTileBudget());
}

void tile::registerTilePipelines() {
  PassPipelineRegistration<>("tile-schedule-pipeline",
                             "From level V of the tile dialect to level S",
                             buildTileSchedulePipeline);
}
