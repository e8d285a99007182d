// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// What layer 1 hands on is also used at the end: two loops.
// REMARK: remark: [Missed] NotRolled | Category:hk-roll-layers | Function=middle | Remark="expects only the last layer's result to be used after the layers, but this value of layer 1 is"
// CHECK-LABEL: func.func @middle(
// CHECK: %[[A:.*]] = scf.for
// CHECK: hk.param "{}.w"
// CHECK: %[[B:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: hk.param "{}.w"
// CHECK: hk.add %[[A]], %[[B]]
func.func @middle(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "1.w" : !w
  %1 = hk.linear %0, %w1 : !x, !w
  %w2 = hk.param "2.w" : !w
  %2 = hk.linear %1, %w2 : !x, !w
  %w3 = hk.param "3.w" : !w
  %3 = hk.linear %2, %w3 : !x, !w
  %y = hk.add %1, %3 : !x, !x
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The last layer gives out what no layer hands on: it stays.
// REMARK: Function=inner | Remark="expects only the last layer's result to be used after the layers, but this value of layer 2 is"
// CHECK-LABEL: func.func @inner(
// CHECK-DAG: arith.constant 2 : index
// CHECK: scf.for
// CHECK: hk.param "2.w"
// CHECK-NEXT: %[[L:.*]] = hk.linear
// CHECK-NEXT: %[[A:.*]] = hk.activation
// CHECK-NEXT: hk.mul %[[L]], %[[A]]
func.func @inner(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %a0 = hk.activation relu %0 : !x
  %w1 = hk.param "1.w" : !w
  %1 = hk.linear %a0, %w1 : !x, !w
  %a1 = hk.activation relu %1 : !x
  %w2 = hk.param "2.w" : !w
  %2 = hk.linear %a1, %w2 : !x, !w
  %a2 = hk.activation relu %2 : !x
  %y = hk.mul %2, %a2 : !x, !x
  return %y : !x
}
