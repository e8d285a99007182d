// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/Interfaces.h"

#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

void hk::registerGPUTargetInterfaces(mlir::DialectRegistry &registry) {
  mlir::registerNVVMDialectTranslation(registry);
}
