// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the tile dialect, in the order the pipeline runs them: from
// level V, values, to level S, the schedule.

#ifndef HK_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define HK_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "hk/Dialect/Tile/Transforms/Residency.td"
include "hk/Dialect/Tile/Transforms/Block.td"
include "hk/Dialect/Tile/Transforms/HoistLoads.td"
include "hk/Dialect/Tile/Transforms/HoistVectors.td"
include "hk/Dialect/Tile/Transforms/WarpgroupMma.td"
include "hk/Dialect/Tile/Transforms/PackTape.td"
include "hk/Dialect/Tile/Transforms/Channels.td"
include "hk/Dialect/Tile/Transforms/PlaceWaits.td"
include "hk/Dialect/Tile/Transforms/Partition.td"
include "hk/Dialect/Tile/Transforms/PlaceGridWaits.td"
include "hk/Dialect/Tile/Transforms/CheckChannels.td"
include "hk/Dialect/Tile/Transforms/Allocate.td"
include "hk/Dialect/Tile/Transforms/Budget.td"

#endif // HK_DIALECT_TILE_TRANSFORMS_PASSES_TD
