// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a value is used within the block of its definition. A use in a nested
// region counts as one of the operation around it.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_USES_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_USES_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk::tile {

/// The first and the last user of `value` in its block; null without uses.
mlir::Operation *getFirstUser(mlir::Value value);
mlir::Operation *getLastUser(mlir::Value value);

/// True if `op` is an `OpT` or has one inside.
template <typename... OpT> bool contains(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *nested) {
        return llvm::isa<OpT...>(nested) ? mlir::WalkResult::interrupt()
                                         : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Fails, with an error, if the buf that `op` gives leaves its block by a
/// terminator or as what a loop carries: then its last use is not known.
mlir::LogicalResult verifyStaysInBlock(mlir::Operation *op, mlir::Value buf);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_USES_H
