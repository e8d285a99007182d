// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of kernels: modules with the attribute `hk.isa`, nested in the module
// of the network. Which road one takes is decided by that name.

#ifndef HK_TARGET_KERNELMODULE_H
#define HK_TARGET_KERNELMODULE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace hk {

/// Whether `module` holds kernels.
inline bool isKernelModule(mlir::ModuleOp module) {
  return module->hasAttr("hk.isa");
}

/// What the kernels of `module` are for, such as "x86-64-v4" or "sm_90a"; empty
/// where it holds none or the attribute is not a string.
inline llvm::StringRef getKernelIsa(mlir::ModuleOp module) {
  auto isa = module->getAttrOfType<mlir::StringAttr>("hk.isa");
  return isa ? isa.getValue() : llvm::StringRef();
}

/// Whether the kernels of `module` are for a GPU.
inline bool isGPUKernelModule(mlir::ModuleOp module) {
  return getKernelIsa(module).starts_with("sm_");
}

} // namespace hk

#endif // HK_TARGET_KERNELMODULE_H
