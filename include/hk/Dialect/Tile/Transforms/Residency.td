// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_RESIDENCY_TD
#define HK_DIALECT_TILE_TRANSFORMS_RESIDENCY_TD

include "mlir/Pass/PassBase.td"

def TileResidency : Pass<"tile-residency", "::hk::tile::KernelOp"> {
  let summary = "bring A operands of loops through shared memory";
  let description = [{
    A frag that is loaded in a loop and used by `tile.mma` as A alone comes
    through shared memory: the rows of the whole CTA are staged, ahead of time
    and in long runs of bytes, and each unit fetches its own.

    The row has to be that of the CTA plus that of the unit, `%cta + %unit * R`
    with R the rows of the frag, and nothing else may differ between units. The
    rings must fit into shared memory with two slots each. There is a remark
    either way.

    ```mlir
    %u16 = arith.muli %unit, %c16 : index
    %row = arith.addi %cta, %u16 : index
    scf.for %k = .. {
      %a = tile.load %x[%row, %k] rows(%end)
          : memref<?x256xf16> -> !tile.frag<16x64xf16>
      %d = tile.mma %a, %b[%c0, %c0], %c : ..
    ```

    becomes

    ```mlir
    scf.for %k = .. {
      %s = tile.stage %x[%cta, %k] rows(%end)
          : memref<?x256xf16> -> !tile.buf<64x64xf16>
      %a = tile.fetch %s[%u16, %c0]
          : !tile.buf<64x64xf16> -> !tile.frag<16x64xf16>
      %d = tile.mma %a, %b[%c0, %c0], %c : ..
    ```

    A frag that is loaded once, and used as A in loops after that, such as the
    queries of a head, stays in registers, unless a loop needs more of them than
    a thread can have. Then each unit publishes its rows, and fetches 16 columns
    at a time where they are multiplied:

    ```mlir
    %s = tile.publish %a at(%u16, %c0)
        : !tile.frag<16x256xf16> -> !tile.buf<64x256xf16>
    scf.for %k = .. {
      %a0 = tile.fetch %s[%u16, %c0]
          : !tile.buf<64x256xf16> -> !tile.frag<16x16xf16>
      %d0 = tile.mma %a0, %b[%c0, %c0] : ..
      %a1 = tile.fetch %s[%u16, %c16] : ..
      %d1 = tile.mma %a1, %b[%c0, %c16], %d0 : ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_RESIDENCY_TD
