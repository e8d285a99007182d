// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole tile dialect.

#ifndef HK_DIALECT_TILE_TILEDIALECT_TD
#define HK_DIALECT_TILE_TILEDIALECT_TD

include "hk/Dialect/Tile/TileScheduleOps.td"

#endif // HK_DIALECT_TILE_TILEDIALECT_TD
