// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-hoist-packed: parameter-only work leaves the functions.

#ifndef HK_TRANSFORMS_HOISTPACKED_TD
#define HK_TRANSFORMS_HOISTPACKED_TD

include "mlir/Pass/PassBase.td"

def HoistPacked : Pass<"hk-hoist-packed", "::mlir::ModuleOp"> {
  let summary = "move parameter-only work into hk.packed symbols";
  let description = [{
    A value is parameter-only if it is a `hk.param`, or comes from
    parameter-only values by `hk.pack.*` or a `hk.cast` that loses nothing.
    Every parameter-only value that another kind of operation uses becomes a
    `hk.packed` symbol, whose region computes it in f64 from the stored
    parameters and rounds once; the use reads it through `hk.packed.get`. The
    symbol is f32, or f64 where the value was f64 (in an oracle).

    In a loop over layers, a value that depends on the induction variable gives
    a symbol with `layers(lower to upper)`. Equal initialisers become one
    symbol. Names come from the keys of the parameters.

    What depends on parameters alone but is outside the vocabulary of
    `hk.pack.*`, or on the index of a loop whose bounds are not constant, stays
    where it is; a remark says so.

    Before:

    ```mlir
    %w = hk.param "q.weight" : tensor<8x16xf32>
    %s = hk.pack.scale %w by 2.5e-01 : tensor<8x16xf32>
    %y = hk.linear %x, %s : tensor<?x4x16xf32>, tensor<8x16xf32>
    ```

    After:

    ```mlir
    hk.packed @q.weight : tensor<8x16xf32> {
      %w = hk.param "q.weight" from f32 : tensor<8x16xf64>
      %s = hk.pack.scale %w by 2.5e-01 : tensor<8x16xf64>
      hk.yield %s : tensor<8x16xf64>
    }
    ...
    %w = hk.packed.get @q.weight : tensor<8x16xf32>
    %y = hk.linear %x, %w : tensor<?x4x16xf32>, tensor<8x16xf32>
    ```
  }];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_HOISTPACKED_TD
