// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published bufs become memory and barriers; a part of tile-channels.

#ifndef HK_LIB_DIALECT_TILE_TRANSFORMS_PUBLISH_H
#define HK_LIB_DIALECT_TILE_TRANSFORMS_PUBLISH_H

#include "hk/Dialect/Tile/TileDialect.h"

namespace hk::tile {

/// Replaces every `publish` of the kernel by alloc, barrier, put and a barrier
/// before the first use, and every `empty` by the same without a put. Emits
/// errors.
mlir::LogicalResult lowerPublishes(KernelOp kernel);

} // namespace hk::tile

#endif // HK_LIB_DIALECT_TILE_TRANSFORMS_PUBLISH_H
