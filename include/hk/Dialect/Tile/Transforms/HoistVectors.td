// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_HOISTVECTORS_TD
#define HK_DIALECT_TILE_TRANSFORMS_HOISTVECTORS_TD

include "mlir/Pass/PassBase.td"

def TileHoistVectors : Pass<"tile-hoist-vectors", "::hk::tile::KernelOp"> {
  let summary = "load biases before the products that they are added to";
  let description = [{
    What is added to the sums of a product is read behind it, and its load would
    begin when the product has ended. This pass moves a `tile.load` of a row that
    is the same for all rows, from memory that no kernel writes, in front of the
    product before it: of all its steps over K and of the copy that the first one
    waits for.

    A load stays where it is if its operands are not known earlier, if a loop or
    a condition lies between it and the product, or if a thread has no registers
    to hold it meanwhile.

    ```mlir
    %t = tile.stage %w[%c0] : ..
    %c = tile.mma %a, %t[%c0, %c0] : ..
    %b = tile.load %bias[%c0] : memref<64xf32> -> !tile.frag<1x64xf32>
    ```

    becomes

    ```mlir
    %b = tile.load %bias[%c0] : memref<64xf32> -> !tile.frag<1x64xf32>
    %t = tile.stage %w[%c0] : ..
    %c = tile.mma %a, %t[%c0, %c0] : ..
    ```
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_HOISTVECTORS_TD
