// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_CHANNELS_TD
#define HK_DIALECT_TILE_TRANSFORMS_CHANNELS_TD

include "mlir/Pass/PassBase.td"

def TileChannels : Pass<"tile-channels", "::hk::tile::KernelOp"> {
  let summary = "make channels of streams, and slots of published bufs";
  let description = [{
    Every stream (`tile.stream`; a stage without one is a stream by itself)
    becomes a `tile.chan` at the beginning of the kernel. A stage becomes
    acquire, copy and commit, which the producer will do, and a wait, which the
    consumers will; the slot is released after its last use in the block.

    Where a slot is used past the end of a later one of its stream, the later
    one is released after it. A stream whose slot is still held around a loop
    that takes slots of the same stream is refused: the order would be wrong.

    The transport is `bulk` for packed weights from sm_90 on, else `async`. A
    channel gets `hk.stages` slots, and at least one more than a unit holds at
    once. If they do not fit into the shared memory of a CTA, the channels with
    the most bytes lose slots, down to what is held; below that, the kernel is
    refused.

    A `tile.publish` becomes a buf of its own: `alloc`, a barrier (all units are
    done with what was there), `put`, and a barrier before the first use.
    Publishes whose first use comes later share their barriers. A `tile.empty`
    becomes the same, without a `put` of its own: those that there are lie
    between the barriers.

    ```mlir
    %w = tile.stage %tiles[%i] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
    %d = tile.mma %a, %w[%c0, %c0], %c : ..
    ```

    becomes

    ```mlir
    %chan = tile.chan bulk : !tile.chan<64x64xf16, 3>
    %s = tile.acquire %chan : ..
    tile.copy %tiles[%i] to %s : ..
    tile.commit %chan : ..
    %w = tile.wait %chan : ..
    %d = tile.mma %a, %w[%c0, %c0], %c : ..
    tile.release %chan : ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_CHANNELS_TD
