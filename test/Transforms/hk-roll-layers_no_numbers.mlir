// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// Numbers count up by one.
// REMARK: Function=by_two | Remark="expects the key "0.w" with one integer larger by one in the next layer, but got "2.w""
// CHECK-LABEL: func.func @by_two(
// CHECK-NOT: scf.for
// CHECK: return
func.func @by_two(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "2.w" : !w
  %1 = hk.linear %0, %w1 : !x, !w
  return %1 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// One integer of a key is the layer's.
// REMARK: Function=two_integers | Remark="expects the key "l.0.0.w" with one integer larger by one in the next layer, but got "l.1.1.w""
// CHECK-LABEL: func.func @two_integers(
// CHECK-NOT: scf.for
// CHECK: return
func.func @two_integers(%x: !x) -> !x {
  %w0 = hk.param "l.0.0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "l.1.1.w" : !w
  %1 = hk.linear %0, %w1 : !x, !w
  return %1 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// "01" is not what 1 would be written as.
// REMARK: Function=leading_zero | Remark="expects the key "l.00.w" with one integer larger by one in the next layer, but got "l.01.w""
// CHECK-LABEL: func.func @leading_zero(
// CHECK-NOT: scf.for
// CHECK: return
func.func @leading_zero(%x: !x) -> !x {
  %w0 = hk.param "l.00.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "l.01.w" : !w
  %1 = hk.linear %0, %w1 : !x, !w
  return %1 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// All parameters of a layer have the same number.
// REMARK: Function=offset | Remark="expects the number 1 of its layer in the key "b.2", but got 2"
// CHECK-LABEL: func.func @offset(
// CHECK-NOT: scf.for
// CHECK: return
func.func @offset(%x: !x) -> !x {
  %w0 = hk.param "w.0" : !w
  %b0 = hk.param "b.1" : !v
  %0 = hk.linear %x, %w0, %b0 : !x, !w, !v
  %w1 = hk.param "w.1" : !w
  %b1 = hk.param "b.2" : !v
  %1 = hk.linear %0, %w1, %b1 : !x, !w, !v
  return %1 : !x
}
