// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_PACKLINEARS_TD
#define HK_TRANSFORMS_PACKLINEARS_TD

include "mlir/Pass/PassBase.td"

def PackLinears : Pass<"hk-pack-linears", "::mlir::ModuleOp"> {
  let summary = "make one linear of those that have the same input";
  let description = [{
    The projections to query, key and value, and the two of a gated
    feed-forward network, read the same rows. They become one linear, with the
    weights one below the other, and a `hk.split` of its result, which moves
    nothing. Where only some have a bias, the others get zeros.

    The order is that of the program. What a function or a loop gives out keeps
    its own linear, since it needs a tensor of its own. Refused, with a remark:
    weights and biases that are not made of parameters alone, and weights of
    different element types.

    ```mlir
    %a = hk.linear %x, %wa, %ba : !x, tensor<32x16xf32>, tensor<32xf32>
    %b = hk.linear %x, %wb : !x, tensor<8x16xf32>
    ```

    becomes

    ```mlir
    %w = hk.pack.concat %wa, %wb dim 0 : .. -> tensor<40x16xf32>
    %z = hk.pack.zeros : tensor<8xf32>
    %c = hk.pack.concat %ba, %z dim 0 : .. -> tensor<40xf32>
    %y = hk.linear %x, %w, %c : !x, tensor<40x16xf32>, tensor<40xf32>
    %a, %b = hk.split %y : tensor<?x8x40xf32>
        -> tensor<?x8x32xf32>, tensor<?x8x8xf32>
    ```
  }];
}

#endif // HK_TRANSFORMS_PACKLINEARS_TD
