// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_HOISTLOADS_TD
#define HK_DIALECT_TILE_TRANSFORMS_HOISTLOADS_TD

include "mlir/Pass/PassBase.td"

def TileHoistLoads : Pass<"tile-hoist-loads", "::hk::tile::KernelOp"> {
  let summary = "load inputs of products before the products in front of them";
  let description = [{
    A product waits for its weights, and nothing that follows a wait in a
    program begins before it. Where one product after another has its A from
    memory, as the steps over K of an input have, each would wait for memory
    anew. This pass moves a `tile.load` that is A of a `tile.mma` up, behind the
    load of the product before, so that their trips to memory are one.

    What is loaded and not used yet takes at most `registers` registers of a
    thread; a load that would be too much goes behind the product that has the
    oldest of the others. Loads stay behind what gives their operands, behind
    stores, and behind loops and conditions.

    ```mlir
    %a = tile.load %x[%row, %c0] : ..
    %t = tile.stage %w[%c0] : ..
    %c = tile.mma %a, %t[%c0, %c0] : ..
    %b = tile.load %x[%row, %c64] : ..
    %u = tile.stage %w[%c1] : ..
    %d = tile.mma %b, %u[%c0, %c0], %c : ..
    ```

    becomes

    ```mlir
    %a = tile.load %x[%row, %c0] : ..
    %b = tile.load %x[%row, %c64] : ..
    %t = tile.stage %w[%c0] : ..
    %c = tile.mma %a, %t[%c0, %c0] : ..
    %u = tile.stage %w[%c1] : ..
    %d = tile.mma %b, %u[%c0, %c0], %c : ..
    ```
  }];
  let options = [
    Option<"registers", "registers", "int64_t", /*default=*/"32",
           "of a thread, for what is loaded and not used yet">
  ];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_HOISTLOADS_TD
