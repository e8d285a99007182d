// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tile kernels to the LLVM dialect.

#ifndef HK_CONVERSION_TILETONVVM_TILETONVVM_H
#define HK_CONVERSION_TILETONVVM_TILETONVVM_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace hk {

/// Adds the passes that take a module of tile kernels (`hk.isa`), after the
/// passes of level S, to the LLVM dialect. `pm` is a pipeline on that module,
/// which lies inside the module of the network.
void buildTileToLLVMPipeline(mlir::OpPassManager &pm);

/// Registers the pipeline as `hk-tile-to-llvm`.
void registerTileToLLVMPipeline();

} // namespace hk

#endif // HK_CONVERSION_TILETONVVM_TILETONVVM_H
