// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate of the registers of a thread, operation by operation.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_PRESSURE_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_PRESSURE_H

#include "Arch.h"

namespace hk::tile {

/// Addresses, the thread's place in its warp, and what ptxas needs besides.
inline constexpr int64_t kRegisterOverhead = 16;

/// Warps of a CTA that copy, at most (tile-partition).
inline constexpr int64_t kProducers = 4;

/// The registers that a thread which computes can have, with `producers` warps
/// that copy.
int64_t getRegisterLimit(const Arch &arch, KernelOp kernel, int64_t producers);

/// The registers that hold a value: of f16, two elements share one.
int64_t getRegisters(mlir::Value value);

/// Visits the operations of a block, `outside` registers being alive around
/// it, and tells how many are alive at each.
void visitPressure(
    mlir::Block &block, int64_t outside,
    llvm::function_ref<void(mlir::Operation *, int64_t registers)> record);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_PRESSURE_H
