// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that take a module of CPU kernels to the LLVM dialect.

#ifndef HK_TARGET_CPU_PASSES_H
#define HK_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace hk {

#define GEN_PASS_DECL
#include "hk/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hk/Target/CPU/Passes.h.inc"

/// Adds the passes that take a module of kernels (`hk.isa`), on the vector,
/// scf, memref, arith and math dialects, to the LLVM dialect. `pm` is a
/// pipeline on that module, which lies inside the module of the network.
void buildCPUToLLVMPipeline(mlir::OpPassManager &pm);

/// Registers the pipeline as `hk-cpu-to-llvm`.
void registerCPUPipelines();

/// Registers the conversions and translations that the pipeline and the code
/// generator find through the dialects.
void registerCPUTargetInterfaces(mlir::DialectRegistry &registry);

} // namespace hk

#endif // HK_TARGET_CPU_PASSES_H
