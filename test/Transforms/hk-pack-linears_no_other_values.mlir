// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-pack-linears | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-pack-linears -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// The other two are packed.
// REMARK: Function=f | Remark="expects a weight and a bias made of parameters alone, but got another value"
// REMARK: Function=f | Remark="expects a weight and a bias made of parameters alone, but got another value"
// REMARK: Function=f | Remark="packed 2 linears of one input into one"
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>, %[[W:.*]]: tensor<16x16xf32>, %[[B:.*]]: tensor<16xf32>)
// CHECK: hk.linear %[[X]], %{{.*}} : tensor<?x8x16xf32>, tensor<32x16xf32>
// CHECK: hk.linear %[[X]], %[[W]]
// CHECK: hk.linear %[[X]], %{{.*}}, %[[B]]
func.func @f(%x: !x, %w: !w, %b: !v) -> !x {
  %p = hk.param "p" : !w
  %0 = hk.linear %x, %p : !x, !w
  %1 = hk.linear %x, %w : !x, !w
  %2 = hk.linear %x, %p, %b : !x, !w, !v
  %q = hk.param "q" : !w
  %3 = hk.linear %x, %q : !x, !w
  %4 = hk.add %0, %1 : !x, !x
  %5 = hk.add %2, %3 : !x, !x
  %6 = hk.add %4, %5 : !x, !x
  return %6 : !x
}
