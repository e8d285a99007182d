// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Layer 2 has the second weight of layer 1: layers 0 and 1 are rolled.
// REMARK: remark: [Missed] NotRolled | Category:hk-roll-layers | Function=f | Remark="expects the parameter "l.2.b" by the layers before, but got "l.1.b""
// CHECK-LABEL: func.func @f(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: hk.param "l.2.a"
// CHECK-NEXT: hk.linear
// CHECK-NEXT: hk.param "l.1.b"
// CHECK-NEXT: hk.linear
// CHECK: hk.param "l.3.a"
func.func @f(%x: !x) -> !x {
  %a0 = hk.param "l.0.a" : !w
  %0 = hk.linear %x, %a0 : !x, !w
  %b0 = hk.param "l.0.b" : !w
  %1 = hk.linear %0, %b0 : !x, !w
  %a1 = hk.param "l.1.a" : !w
  %2 = hk.linear %1, %a1 : !x, !w
  %b1 = hk.param "l.1.b" : !w
  %3 = hk.linear %2, %b1 : !x, !w
  %a2 = hk.param "l.2.a" : !w
  %4 = hk.linear %3, %a2 : !x, !w
  %b2 = hk.param "l.1.b" : !w
  %5 = hk.linear %4, %b2 : !x, !w
  %a3 = hk.param "l.3.a" : !w
  %6 = hk.linear %5, %a3 : !x, !w
  %b3 = hk.param "l.3.b" : !w
  %7 = hk.linear %6, %b3 : !x, !w
  return %7 : !x
}
