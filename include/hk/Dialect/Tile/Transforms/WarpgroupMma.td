// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_WARPGROUPMMA_TD
#define HK_DIALECT_TILE_TRANSFORMS_WARPGROUPMMA_TD

include "mlir/Pass/PassBase.td"

def TileWarpgroupMma : Pass<"tile-warpgroup-mma", "::hk::tile::KernelOp"> {
  let summary = "let four warps multiply together where they can";
  let description = [{
    In a kernel with `hk.mma = "wgmma"`, every `tile.mma` becomes one of a
    `warpgroup` whose shape allows it and which the four units of a warpgroup
    reach together: all bounds and conditions around it are the same for them.
    (`arith.divui` of `tile.unit` by a multiple of 4 is.) The others stay as
    they are, each with a remark: the registers of both are the same, so that
    they can be mixed.

    ```mlir
    %d = tile.mma %a, %b[%c0, %c0] : !tile.frag<16x64xf16>, ..
    ```

    becomes

    ```mlir
    %d = tile.mma %a, %b[%c0, %c0] {warpgroup} : !tile.frag<16x64xf16>, ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_WARPGROUPMMA_TD
