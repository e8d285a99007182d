// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/InitAll.h"

#include "hk/Conversion/Passes.h"
#include "hk/Conversion/TileToNVVM/TileToNVVM.h"
#include "hk/Dialect/HK/HKDialect.h"
#include "hk/Dialect/Tile/TileDialect.h"
#include "hk/Dialect/Tile/Transforms/Passes.h"
#include "hk/Pipeline/OnTarget.h"
#include "hk/Pipeline/Pipeline.h"
#include "hk/Target/CPU/Passes.h"
#include "hk/Target/NVPTX/Interfaces.h"
#include "hk/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"

void hk::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registry.insert<HKDialect, tile::TileDialect>();
  registerCPUTargetInterfaces(registry);
  registerGPUTargetInterfaces(registry);
}

void hk::registerAllPasses() {
  mlir::registerAllPasses();
  registerHKTransformsPasses();
  registerHKConversionPasses();
  registerHKTargetCPUPasses();
  registerCPUPipelines();
  tile::registerHKTilePasses();
  tile::registerTilePipelines();
  registerTileToLLVMPipeline();
  registerHKPipelinePasses();
  registerPipeline();
}
