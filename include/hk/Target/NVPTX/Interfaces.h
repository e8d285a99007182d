// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code generator finds through the dialects.

#ifndef HK_TARGET_NVPTX_INTERFACES_H
#define HK_TARGET_NVPTX_INTERFACES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hk {

/// Registers the NVVM dialect and its translation, beside what the CPU's
/// registers.
void registerGPUTargetInterfaces(mlir::DialectRegistry &registry);

} // namespace hk

#endif // HK_TARGET_NVPTX_INTERFACES_H
