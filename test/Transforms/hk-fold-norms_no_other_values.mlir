// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-norms | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-norms -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// What is not a parameter cannot be computed when a checkpoint is loaded.
// REMARK: Function=gamma | Remark="expects gamma and beta made of parameters alone, but got another value"
// CHECK-LABEL: func.func @gamma(
// CHECK-NOT: hk.pack
// CHECK: return
func.func @gamma(%x: !x, %g: !v) -> !x {
  %w = hk.param "w" : !w
  %n = hk.rms_norm %x, %g : !x, !v
  %0 = hk.linear %n, %w : !x, !w
  return %0 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// REMARK: Function=weight | Remark="expects linears with a weight and a bias made of parameters alone, but got another value"
// CHECK-LABEL: func.func @weight(
// CHECK-NOT: hk.pack
// CHECK: return
func.func @weight(%x: !x, %w: !w) -> !x {
  %g = hk.param "g" : !v
  %n = hk.rms_norm %x, %g : !x, !v
  %0 = hk.linear %n, %w : !x, !w
  return %0 : !x
}
