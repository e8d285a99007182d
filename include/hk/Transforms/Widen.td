// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_WIDEN_TD
#define HK_TRANSFORMS_WIDEN_TD

include "mlir/Pass/PassBase.td"

def WidenPass : Pass<"hk-widen", "::mlir::func::FuncOp"> {
  let summary = "Compute f16 and bf16 networks in f32";
  let description = [{
    Every f16 and bf16 value of the function becomes f32: inputs are cast at
    the entry, results are rounded once, before the return, and parameters keep
    their stored types and are widened as they are read (`from`). So the
    activations between operations are not rounded at all, which is at least
    as exact as rounding each.

    A cast that the network itself makes to f16 or bf16 still rounds: it
    becomes a cast there and back. f32 and f64 values stay as they are, and so
    do functions with `hk.oracle_of`.

    ```mlir
    func.func @f(%x: tensor<?x8x4xf16>) -> tensor<?x8x4xf16> {
      %g = hk.param "g" : tensor<4xf16>
      %y = hk.rms_norm %x, %g : tensor<?x8x4xf16>, tensor<4xf16>
      return %y : tensor<?x8x4xf16>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<?x8x4xf16>) -> tensor<?x8x4xf16> {
      %0 = hk.cast %x : tensor<?x8x4xf16> to tensor<?x8x4xf32>
      %g = hk.param "g" from f16 : tensor<4xf32>
      %y = hk.rms_norm %0, %g : tensor<?x8x4xf32>, tensor<4xf32>
      %1 = hk.cast %y : tensor<?x8x4xf32> to tensor<?x8x4xf16>
      return %1 : tensor<?x8x4xf16>
    }
    ```
  }];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_WIDEN_TD
