// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-rotate-layers | FileCheck %s
// RUN: hk-opt %s -hk-rotate-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>

// REMARK: NotRotated | Category:hk-rotate-layers | Function=f | Remark="expects constant bounds and a positive constant step, so that the last layer is known, but got others"
// CHECK-LABEL: func.func @f(
// CHECK: scf.for
// CHECK-NEXT: hk.layer_norm
func.func @f(%x0: !x, %n: index) -> !x attributes {hk.plan = "fused"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %l = %c0 to %n step %c1 iter_args(%x = %x0) -> (!x) {
    %h = hk.layer_norm %x : !x
    %c = hk.attention %h, %h, %h {num_heads = 2 : i32} : !x, !x, !x
    scf.yield %c : !x
  }
  return %r : !x
}
