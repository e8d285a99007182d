// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the GPU road, stage by stage.

#ifndef HK_PIPELINE_GPUSTAGES_H
#define HK_PIPELINE_GPUSTAGES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hk {

struct PipelineOptions;

/// From variants with a `#hk.cuda` schedule to kernels of the tile dialect, on
/// values. `pm` is a pipeline on the module of the network.
void addTileStage(mlir::OpPassManager &pm, const PipelineOptions &options);

/// From tiles as values to tiles with places, channels and waits. `pm` is a
/// pipeline on a module of GPU kernels.
void addTileScheduleStage(mlir::OpPassManager &pm,
                          const PipelineOptions &options);

/// From there to the LLVM and NVVM dialects. `pm` is a pipeline on a module of
/// GPU kernels.
void addGPUToLLVMStage(mlir::OpPassManager &pm, const PipelineOptions &options);

} // namespace hk

#endif // HK_PIPELINE_GPUSTAGES_H
