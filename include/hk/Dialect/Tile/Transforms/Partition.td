// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_PARTITION_TD
#define HK_DIALECT_TILE_TRANSFORMS_PARTITION_TD

include "mlir/Pass/PassBase.td"

def TilePartition : Pass<"tile-partition", "::hk::tile::KernelOp"> {
  let summary = "split a kernel into a producer and the consumers";
  let description = [{
    The producer gets the slice of the kernel that `acquire`, `copy` and
    `commit` need: the loops and conditions around them, the arithmetic of
    their indices, and what that reads from memory. Values that a loop carries
    and the slice does not use are dropped. The consumers get all else.

    What a copy depends on must be the same for all units: it may not involve
    `tile.unit` or anything computed from a frag.

    `producers` is the number of warps that copy; 0 lets the pass choose. One
    suffices for bulk copies. For copies by lanes it is 1, 2 or 4 by an
    estimate: a warp moves 512 bytes with about 16 issue slots of latency and
    address arithmetic, while the tensor cores take about 2 cycles for an
    m16n8k16 product.

    ```mlir
    scf.for %k = %c0 to %n step %c1 iter_args(%c = %z) -> (..) {
      %s = tile.acquire %chan : ..
      tile.copy %tiles[%k] to %s : ..
      tile.commit %chan : ..
      %w = tile.wait %chan : ..
      %d = tile.mma %a, %w[%c0, %c0], %c : ..
      tile.release %chan : ..
      scf.yield %d : ..
    }
    ```

    becomes

    ```mlir
    tile.role producer {
      scf.for %k = %c0 to %n step %c1 {
        %s = tile.acquire %chan : ..
        tile.copy %tiles[%k] to %s : ..
        tile.commit %chan : ..
      }
    }
    tile.role consumer {
      scf.for %k = %c0 to %n step %c1 iter_args(%c = %z) -> (..) {
        %w = tile.wait %chan : ..
        %d = tile.mma %a, %w[%c0, %c0], %c : ..
        tile.release %chan : ..
        scf.yield %d : ..
      }
    }
    ```
  }];
  let options = [
    Option<"producers", "producers", "int64_t", /*default=*/"0",
           "Warps that copy; 0 chooses 1, 2 or 4">
  ];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_PARTITION_TD
