// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_PACKTAPE_TD
#define HK_DIALECT_TILE_TRANSFORMS_PACKTAPE_TD

include "mlir/Pass/PassBase.td"

def TilePackTape : Pass<"tile-pack-tape", "::hk::tile::KernelOp"> {
  let summary = "join what is staged into few streams";
  let description = [{
    A stream is what one ring of slots carries. The order of its chunks is
    program order, which the producer and the consumers share, so a ring needs
    no names for what is in it.

    Packed weights make one stream, every chunk in a slot of the size of the
    largest, unless more than half of the bytes of the slots would be empty:
    then there is one stream for each size. Matrices (activations, keys,
    values) make a stream for each size, so keys and values of a block
    alternate in one.

    A slot is released in the order in which it was filled. So a chunk that is
    used after other chunks have come and gone, in a loop that it outlives,
    goes to a stream of its own kind: chunks are grouped by how many levels of
    such loops they span.

    The attribute `tile.stream` of a `tile.stage` is the number of its stream.
    An analysis remark for each stream says how many chunks the program text
    has, and how large its slots are.

    ```mlir
    %w = tile.stage %w1[%i] : !tile.tiles<64x128xf16> -> !tile.buf<64x128xf16>
    %k = tile.stage %x[%r, %c] : memref<?x64xf16> -> !tile.buf<64x64xf16>
    ```

    becomes

    ```mlir
    %w = tile.stage %w1[%i] {tile.stream = 0 : i64} : ..
    %k = tile.stage %x[%r, %c] {tile.stream = 1 : i64} : ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_PACKTAPE_TD
