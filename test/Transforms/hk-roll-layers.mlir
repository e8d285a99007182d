// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// Rolling again changes nothing.
// RUN: hk-opt %s -split-input-file -hk-roll-layers -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers --remarks-filter=".*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// The layers are the ones from number 3 to 5; what stands around them stays.
// REMARK: remark: [Passed] Rolled | Category:hk-roll-layers | Function=residual | Remark="rolled 3 layers of 3 operations, from number 3"
// CHECK-LABEL: func.func @residual(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>
// CHECK: %[[IN:.*]] = hk.linear %[[X]]
// CHECK-DAG: %[[LB:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[UB:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[R:.*]] = scf.for %[[L:.*]] = %[[LB]] to %[[UB]] step %[[ONE]] iter_args(%[[T:.*]] = %[[IN]]) -> (tensor<?x8x16xf32>) {
// CHECK-NEXT: %[[W:.*]] = hk.param "block.{}.0.w"[%[[L]]] : tensor<16x16xf32>
// CHECK-NEXT: %[[B:.*]] = hk.param "block.{}.0.b"[%[[L]]] : tensor<16xf32>
// CHECK-NEXT: %[[Y:.*]] = hk.linear %[[T]], %[[W]], %[[B]]
// CHECK-NEXT: %[[A:.*]] = hk.activation relu %[[Y]]
// CHECK-NEXT: %[[S:.*]] = hk.add %[[T]], %[[A]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[NW:.*]] = hk.param "norm"
// CHECK-NEXT: %[[N:.*]] = hk.rms_norm %[[R]], %[[NW]]
// CHECK-NEXT: return %[[N]]
func.func @residual(%x: !x) -> !x {
  %w = hk.param "in.w" : !w
  %in = hk.linear %x, %w : !x, !w
  %w3 = hk.param "block.3.0.w" : !w
  %b3 = hk.param "block.3.0.b" : !v
  %y3 = hk.linear %in, %w3, %b3 : !x, !w, !v
  %a3 = hk.activation relu %y3 : !x
  %s3 = hk.add %in, %a3 : !x, !x
  %w4 = hk.param "block.4.0.w" : !w
  %b4 = hk.param "block.4.0.b" : !v
  %y4 = hk.linear %s3, %w4, %b4 : !x, !w, !v
  %a4 = hk.activation relu %y4 : !x
  %s4 = hk.add %s3, %a4 : !x, !x
  %w5 = hk.param "block.5.0.w" : !w
  %b5 = hk.param "block.5.0.b" : !v
  %y5 = hk.linear %s4, %w5, %b5 : !x, !w, !v
  %a5 = hk.activation relu %y5 : !x
  %s5 = hk.add %s4, %a5 : !x, !x
  %n = hk.param "norm" : !v
  %y = hk.rms_norm %s5, %n : !x, !v
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Parameters may stand anywhere, in any order.
// CHECK-LABEL: func.func @params_first(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>
// CHECK: scf.for %[[L:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[T:.*]] = %[[X]])
// CHECK-NEXT: hk.param "{}.w"[%[[L]]] from f16 : tensor<16x16xf32>
// CHECK-NEXT: hk.linear %[[T]]
// CHECK-NEXT: hk.activation silu
// CHECK-NEXT: scf.yield
func.func @params_first(%x: !x) -> !x {
  %w1 = hk.param "1.w" from f16 : !w
  %w0 = hk.param "0.w" from f16 : !w
  %y0 = hk.linear %x, %w0 : !x, !w
  %a0 = hk.activation silu %y0 : !x
  %y1 = hk.linear %a0, %w1 : !x, !w
  %a1 = hk.activation silu %y1 : !x
  return %a1 : !x
}

// -----

!x = tensor<2x8x16xf32>
!w = tensor<16x16xf32>
!m = tensor<2x8xi1>

// Two values are carried, and a mask and one weight are the same for all.
// CHECK-LABEL: func.func @two_streams(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x16xf32>, %[[M:.*]]: tensor<2x8xi1>
// CHECK: %[[TIED:.*]] = hk.param "tied.w"
// CHECK: %[[R:.*]]:2 = scf.for %[[L:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %[[X]], %[[A:.*]] = %[[X]])
// CHECK-NEXT: %[[W:.*]] = hk.param "l.{}.w"[%[[L]]]
// CHECK-NEXT: %[[P:.*]] = hk.linear %[[B]], %[[W]]
// CHECK-NEXT: %[[Q:.*]] = hk.linear %[[A]], %[[TIED]]
// CHECK-NEXT: %[[S:.*]] = hk.add %[[P]], %[[Q]]
// CHECK-NEXT: %[[N:.*]] = hk.mask_rows %[[S]] key_mask(%[[M]])
// CHECK-NEXT: %[[K:.*]] = hk.mul %[[B]], %[[N]]
// CHECK-NEXT: scf.yield %[[K]], %[[N]]
// CHECK: hk.add %[[R]]#1, %[[R]]#0
func.func @two_streams(%x: !x, %m: !m) -> !x {
  %t = hk.param "tied.w" : !w
  %w0 = hk.param "l.0.w" : !w
  %p0 = hk.linear %x, %w0 : !x, !w
  %q0 = hk.linear %x, %t : !x, !w
  %s0 = hk.add %p0, %q0 : !x, !x
  %n0 = hk.mask_rows %s0 key_mask(%m) : !x, !m
  %k0 = hk.mul %x, %n0 : !x, !x
  %w1 = hk.param "l.1.w" : !w
  %p1 = hk.linear %k0, %w1 : !x, !w
  %t1 = hk.param "tied.w" : !w
  %q1 = hk.linear %n0, %t1 : !x, !w
  %s1 = hk.add %p1, %q1 : !x, !x
  %n1 = hk.mask_rows %s1 key_mask(%m) : !x, !m
  %k1 = hk.mul %k0, %n1 : !x, !x
  %y = hk.add %n1, %k1 : !x, !x
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Two runs of different layers, and numbers that do not start at 0.
// REMARK-DAG: Function=two_runs | Remark="rolled 2 layers of 2 operations, from number 9"
// REMARK-DAG: Function=two_runs | Remark="rolled 2 layers of 2 operations, from number 0"
// CHECK-LABEL: func.func @two_runs(
// CHECK: scf.for
// CHECK: hk.param "encoder.{}.w"
// CHECK: scf.for
// CHECK: hk.param "decoder.{}.w"
// CHECK: return
func.func @two_runs(%x: !x) -> !x {
  %e9 = hk.param "encoder.9.w" : !w
  %0 = hk.linear %x, %e9 : !x, !w
  %1 = hk.activation silu %0 : !x
  %e10 = hk.param "encoder.10.w" : !w
  %2 = hk.linear %1, %e10 : !x, !w
  %3 = hk.activation silu %2 : !x
  %d0 = hk.param "decoder.0.w" : !w
  %4 = hk.linear %3, %d0 : !x, !w
  %5 = hk.activation relu %4 : !x
  %d1 = hk.param "decoder.1.w" : !w
  %6 = hk.linear %5, %d1 : !x, !w
  %7 = hk.activation relu %6 : !x
  return %7 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// All parameters are tied: the layers count from 0.
// CHECK-LABEL: func.func @all_tied(
// CHECK: %[[W:.*]] = hk.param "shared.w"
// CHECK-DAG: %[[LB:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[UB:.*]] = arith.constant 3 : index
// CHECK: scf.for %{{.*}} = %[[LB]] to %[[UB]]
// CHECK-NEXT: hk.linear %{{.*}}, %[[W]]
func.func @all_tied(%x: !x) -> !x {
  %w = hk.param "shared.w" : !w
  %0 = hk.linear %x, %w : !x, !w
  %1 = hk.linear %0, %w : !x, !w
  %2 = hk.linear %1, %w : !x, !w
  return %2 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// An oracle is not touched.
// CHECK-LABEL: func.func @oracle(
// CHECK-NOT: scf.for
func.func @oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "1.w" : !w
  %1 = hk.linear %0, %w1 : !x, !w
  return %1 : !x
}
