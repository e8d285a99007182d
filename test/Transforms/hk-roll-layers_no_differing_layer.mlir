// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Layer 2 has another activation: the runs on both sides of it are rolled, and
// it stays.
// REMARK: remark: [Missed] NotRolled | Category:hk-roll-layers | Function=f | Remark="expects layer 2 to have hk.activation here as its neighbours have, but got one with other attributes, types or parameters"
// CHECK-LABEL: func.func @f(
// CHECK: scf.for
// CHECK: hk.param "l.{}.w"
// CHECK: hk.param "l.2.w"
// CHECK-NEXT: hk.linear
// CHECK-NEXT: hk.activation silu
// CHECK: scf.for
// CHECK: hk.param "l.{}.w"
func.func @f(%x: !x) -> !x {
  %w0 = hk.param "l.0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.activation relu %0 : !x
  %w1 = hk.param "l.1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.activation relu %2 : !x
  %w2 = hk.param "l.2.w" : !w
  %4 = hk.linear %3, %w2 : !x, !w
  %5 = hk.activation silu %4 : !x
  %w3 = hk.param "l.3.w" : !w
  %6 = hk.linear %5, %w3 : !x, !w
  %7 = hk.activation relu %6 : !x
  %w4 = hk.param "l.4.w" : !w
  %8 = hk.linear %7, %w4 : !x, !w
  %9 = hk.activation relu %8 : !x
  return %9 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The first layer differs.
// REMARK: Remark="expects layer 0 to have hk.activation here as its neighbours have, but got hk.mul"
// CHECK-LABEL: func.func @first(
// CHECK: hk.param "l.0.w"
// CHECK: hk.mul
// CHECK: scf.for
func.func @first(%x: !x) -> !x {
  %w0 = hk.param "l.0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.mul %0, %0 : !x, !x
  %w1 = hk.param "l.1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.activation relu %2 : !x
  %w2 = hk.param "l.2.w" : !w
  %4 = hk.linear %3, %w2 : !x, !w
  %5 = hk.activation relu %4 : !x
  return %5 : !x
}
