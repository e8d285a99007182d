// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_PLACEWAITS_TD
#define HK_DIALECT_TILE_TRANSFORMS_PLACEWAITS_TD

include "mlir/Pass/PassBase.td"

def TilePlaceWaits : Pass<"tile-place-waits", "::hk::tile::KernelOp"> {
  let summary = "wait as late and release as early as the uses allow";
  let description = [{
    Sinks every `tile.wait` to its first use, so that work is done meanwhile,
    and hoists every `tile.release` to the last use, so that the slot is filled
    again sooner.

    The order of all waits of a kernel, of whatever channel, stays that of the
    copies: then a ring needs no more slots than are held at once, whatever
    the other rings do. So a wait sinks past no other wait, nor past an
    operation that has one inside.

    ```mlir
    %k = tile.wait %chan : ..
    %h = tile.map %x : .. { .. }
    %d = tile.mma %h, %k[%c0, %c0] : ..
    %y = tile.map %d : .. { .. }
    tile.release %chan : ..
    ```

    becomes

    ```mlir
    %h = tile.map %x : .. { .. }
    %k = tile.wait %chan : ..
    %d = tile.mma %h, %k[%c0, %c0] : ..
    tile.release %chan : ..
    %y = tile.map %d : .. { .. }
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_PLACEWAITS_TD
