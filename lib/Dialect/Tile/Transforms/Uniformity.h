// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same for all units of a CTA.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_UNIFORMITY_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_UNIFORMITY_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk::tile {

/// The bounds of the loops and the conditions that decide whether, and how
/// often, `op` is reached in its kernel.
llvm::SmallVector<mlir::Value> getControl(mlir::Operation *op);

/// An operation that makes one of `values` differ between the units of a CTA,
/// or may do so; null if all are the same. With `together`, only those units
/// count whose numbers are the same divided by it.
mlir::Operation *findVarying(mlir::ValueRange values, int64_t together = 0);

/// Fails, with an error, if units may disagree on whether `op`, a collective
/// operation, is reached, or on one of `operands`.
mlir::LogicalResult verifyCollective(mlir::Operation *op,
                                     mlir::ValueRange operands);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_UNIFORMITY_H
