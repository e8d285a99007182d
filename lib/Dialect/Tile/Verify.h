// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that operations of both levels share.

#ifndef HK_LIB_DIALECT_TILE_VERIFY_H
#define HK_LIB_DIALECT_TILE_VERIFY_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk::tile {

/// (C1) to (C4) of `stage`: what of `source` goes into a buf of type `type`.
mlir::LogicalResult verifyStaged(mlir::Operation *op, mlir::Type source,
                                 mlir::ValueRange indices, mlir::Value rows,
                                 mlir::IntegerAttr columns,
                                 mlir::DenseI64ArrayAttr padded, BufType type);

/// The frag is a slab of the element type of the buf, and no larger; its place
/// is one that `verifyPlace` accepts.
mlir::LogicalResult verifyPartOfBuf(mlir::Operation *op, FragType frag,
                                    BufType buf, mlir::Value row,
                                    mlir::Value column);

/// Row and column of a buf are multiples of 8, as far as they are constants.
mlir::LogicalResult verifyPlace(mlir::Operation *op, mlir::Value row,
                                mlir::Value column);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_VERIFY_H
