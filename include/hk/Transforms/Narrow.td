// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-narrow: what only matrix units read crosses memory in their type.

#ifndef HK_TRANSFORMS_NARROW_TD
#define HK_TRANSFORMS_NARROW_TD

include "mlir/Pass/PassBase.td"

def Narrow : Pass<"hk-narrow", "::mlir::func::FuncOp"> {
  let summary = "store operands of matrix units as f16";
  let description = [{
    On functions for a GPU (see `hk-clone-targets`) whose operands are f16: an
    f32 result of a kernel that other kernels read as a matrix operand alone,
    itself or through `hk.split`, is rounded in the kernel that computes it and
    stored as f16. Matrix operands are the input of `hk.linear` and query, key
    and value of `hk.attention`. They would be rounded in any case, so the
    numbers stay the same and half the bytes move.

    What norms and sums read stays f32, and so does what the function gives
    out. What a loop carries is stored as f16 if all kernels that compute and
    read it agree.

    Before:

    ```mlir
    %h = hk.kernel @norm(%a = %x : tensor<?x8x16xf32>)
        -> (tensor<?x8x16xf32>) scope(row) {
      %n = hk.rms_norm %a : tensor<?x8x16xf32>
      hk.yield %n : tensor<?x8x16xf32>
    }
    %y = hk.kernel @linear(%b = %h : tensor<?x8x16xf32>) ... {
      %l = hk.linear %b, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
      ...
    ```

    After:

    ```mlir
    %h = hk.kernel @norm(%a = %x : tensor<?x8x16xf32>)
        -> (tensor<?x8x16xf16>) scope(row) {
      %n = hk.rms_norm %a : tensor<?x8x16xf32>
      %s = hk.cast %n : tensor<?x8x16xf32> to tensor<?x8x16xf16>
      hk.yield %s : tensor<?x8x16xf16>
    }
    %y = hk.kernel @linear(%b = %h : tensor<?x8x16xf16>) ... {
      %c = hk.cast %b : tensor<?x8x16xf16> to tensor<?x8x16xf32>
      %l = hk.linear %c, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
      ...
    ```
  }];
  let dependentDialects = ["::hk::HKDialect"];
}

#endif // HK_TRANSFORMS_NARROW_TD
