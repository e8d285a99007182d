// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes for the modules of kernels of one kind of target.

#ifndef HK_PIPELINE_ONTARGET_H
#define HK_PIPELINE_ONTARGET_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace hk {

#define GEN_PASS_DECL
#include "hk/Pipeline/OnTarget.h.inc"

/// A pass without a pipeline: `initializeOptions` reads one.
std::unique_ptr<mlir::Pass> createOnTarget();

#define GEN_PASS_REGISTRATION
#include "hk/Pipeline/OnTarget.h.inc"

enum class TargetKind { CPU, GPU };

/// Adds to `pm`, a pipeline on the module of the network, what `build` adds to
/// a pipeline on a module of kernels, for those of `kind`.
void addOnTarget(mlir::OpPassManager &pm, TargetKind kind,
                 llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace hk

#endif // HK_PIPELINE_ONTARGET_H
