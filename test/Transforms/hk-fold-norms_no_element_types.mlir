// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-norms | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-norms -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf16>

// REMARK: Function=f | Remark="expects the norm and the linears to have parameters of one element type, but got several"
// CHECK-LABEL: func.func @f(
// CHECK-NOT: hk.pack
// CHECK: return
func.func @f(%x: !x) -> !x {
  %g = hk.param "g" : !v
  %w = hk.param "w" : !w
  %n = hk.rms_norm %x, %g : !x, !v
  %0 = hk.linear %n, %w : !x, !w
  return %0 : !x
}
