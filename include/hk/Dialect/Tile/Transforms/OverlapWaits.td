// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_OVERLAPWAITS_TD
#define HK_DIALECT_TILE_TRANSFORMS_OVERLAPWAITS_TD

include "mlir/Pass/PassBase.td"

def TileOverlapWaits : Pass<"tile-overlap-waits", "::hk::tile::KernelOp"> {
  let summary = "wait for slots while a warpgroup multiplies";
  let description = [{
    A wait takes about a hundred clocks even where the slot is full, and a
    fence as many. A product of a warpgroup leaves its warps nothing to do until
    it has ended, so the next wait is moved there: the product is made `async`,
    and settled behind the wait. Where no wait follows it in its loop, the slot
    that the next trip waits for first is awaited, and that wait has to do so in
    the first trip alone.

    A wait moves up only where its channel has a slot more than are held then,
    so that copies still run ahead.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      %k = tile.wait %chan : ..
      %s = tile.mma %q, %k[%c0, %c0] {warpgroup} : ..
      tile.release %chan : ..
      %p = tile.map %s : .. { .. }
      %v = tile.wait %chan : ..
      %o = tile.mma %p, %v[%c0, %c0] {transpose_b, warpgroup} : ..
      tile.release %chan : ..
      ..
    }
    ```

    becomes

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      %k = tile.wait %chan {ahead} : ..
      %0 = tile.mma %q, %k[%c0, %c0] {warpgroup, async} : ..
      %v = tile.wait %chan : ..
      %s = tile.settle %0 : ..
      tile.release %chan : ..
      %p = tile.map %s : .. { .. }
      %1 = tile.mma %p, %v[%c0, %c0] {transpose_b, warpgroup, async} : ..
      tile.await %chan : ..
      %o = tile.settle %1 : ..
      tile.release %chan : ..
      ..
    }
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_OVERLAPWAITS_TD
