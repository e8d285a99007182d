// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-norms | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-norms -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// The norm's result is added too: gamma would be missing there.
// REMARK: remark: [Missed] NotFolded | Category:hk-fold-norms | Function=residual | Remark="expects the norm to be used as the input of hk.linear only, but got a use by hk.add"
// CHECK-LABEL: func.func @residual(
// CHECK: hk.rms_norm %{{.*}}, %{{.*}} : tensor<?x8x16xf32>, tensor<16xf32>
// CHECK-NOT: hk.pack
// CHECK: return
func.func @residual(%x: !x) -> !x {
  %g = hk.param "g" : !v
  %w = hk.param "w" : !w
  %n = hk.rms_norm %x, %g : !x, !v
  %0 = hk.linear %n, %w : !x, !w
  %1 = hk.add %n, %0 : !x, !x
  return %1 : !x
}

// -----

!x = tensor<?x8x16xf32>
!v = tensor<16xf32>

// The final norm.
// REMARK: Function=final | Remark="expects the norm to be used as the input of hk.linear only, but got a use by func.return"
// CHECK-LABEL: func.func @final(
// CHECK: hk.layer_norm %{{.*}}, %{{.*}}, %{{.*}} :
func.func @final(%x: !x) -> !x {
  %g = hk.param "g" : !v
  %b = hk.param "b" : !v
  %n = hk.layer_norm %x, %g, %b : !x, !v, !v
  return %n : !x
}
