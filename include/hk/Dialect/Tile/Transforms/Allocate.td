// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_ALLOCATE_TD
#define HK_DIALECT_TILE_TRANSFORMS_ALLOCATE_TD

include "mlir/Pass/PassBase.td"

def TileAllocate : Pass<"tile-allocate", "::hk::tile::KernelOp"> {
  let summary = "give slots, bufs and barriers their place in shared memory";
  let description = [{
    Slots and bufs begin at multiples of 1024 bytes, barriers (8 bytes, a full
    and an empty one a slot) come after them. Published bufs whose lives do not
    overlap share memory: from the `tile.alloc` to the last use in its block,
    between which and the next `put` there is a barrier. The attribute `shared`
    of the kernel becomes the sum, which must fit a CTA.

    ```mlir
    %c = tile.chan bulk : !tile.chan<64x64xf16, 3>
    ```

    becomes

    ```mlir
    %c = tile.chan bulk {offset = 0 : i64, barriers = 24576 : i64} : ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_ALLOCATE_TD
