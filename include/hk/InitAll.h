// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tool of the compiler registers.

#ifndef HK_INITALL_H
#define HK_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hk {

/// Registers hk's dialects, the upstream dialects that its passes produce, and
/// the interfaces and translations that these need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers hk's passes and pipelines, and the upstream passes that are of
/// use beside them.
void registerAllPasses();

} // namespace hk

#endif // HK_INITALL_H
