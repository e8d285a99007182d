// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_BLOCK_TD
#define HK_DIALECT_TILE_TRANSFORMS_BLOCK_TD

include "mlir/Pass/PassBase.td"

def TileBlock : Pass<"tile-block", "::hk::tile::KernelOp"> {
  let summary = "split wide accumulators into blocks of columns";
  let description = [{
    A `tile.mma` whose result is wider than `columns` becomes one for each
    block of columns, if all that uses the result can take it by blocks:
    `map` (and what uses that), `store`, `slice`, and an `mma` that takes it as
    A, which becomes a chain over the blocks, or as C, if it is split as well.
    What needs the whole (a reduction over columns, what a loop carries) leaves
    it whole. Vectors and matrices that a split `map` takes from memory are
    loaded by blocks, too.

    The operations of a block follow each other, as far as what they use
    allows, so that few accumulators are alive at once. The sums are those of
    before, in the same order, but for an A that is split: its products are
    added block by block, as they are within an `mma`.

    `columns` is 0 to take `hk.block` of the kernel; without it nothing is
    split.

    ```mlir
    %d = tile.mma %a, %b[%c0, %c0] : .., !tile.buf<128x64xf16>
        -> !tile.frag<16x128xf32>
    %h = tile.map %d : !tile.frag<16x128xf32> -> !tile.frag<16x128xf16> { .. }
    ```

    becomes

    ```mlir
    %d0 = tile.mma %a, %b[%c0, %c0] : .. -> !tile.frag<16x64xf32>
    %h0 = tile.map %d0 : !tile.frag<16x64xf32> -> !tile.frag<16x64xf16> { .. }
    %d1 = tile.mma %a, %b[%c64, %c0] : .. -> !tile.frag<16x64xf32>
    %h1 = tile.map %d1 : !tile.frag<16x64xf32> -> !tile.frag<16x64xf16> { .. }
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", /*default=*/"0",
           "The widest accumulator; 0 takes hk.block of the kernel">
  ];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_BLOCK_TD
