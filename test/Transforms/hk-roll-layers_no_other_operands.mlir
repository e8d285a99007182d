// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!n = tensor<?xi32>

// The layers have different masks.
// REMARK: Function=masks | Remark="expects the same value from before the layers as in the layer before, but got another"
// CHECK-LABEL: func.func @masks(
// CHECK-NOT: scf.for
// CHECK: return
func.func @masks(%x: !x, %m: !n, %n: !n) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.mask_rows %0 lengths(%m) : !x, !n
  %w1 = hk.param "1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.mask_rows %2 lengths(%n) : !x, !n
  return %3 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!n = tensor<?xi32>

// The third layer has another mask: the first two are rolled.
// REMARK: Function=third_mask | Remark="expects the same value from before the layers as in the layers before, but got another"
// CHECK-LABEL: func.func @third_mask(
// CHECK: scf.for
// CHECK: hk.param "2.w"
func.func @third_mask(%x: !x, %m: !n, %n: !n) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.mask_rows %0 lengths(%m) : !x, !n
  %w1 = hk.param "1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.mask_rows %2 lengths(%m) : !x, !n
  %w2 = hk.param "2.w" : !w
  %4 = hk.linear %3, %w2 : !x, !w
  %5 = hk.mask_rows %4 lengths(%n) : !x, !n
  return %5 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The second layer adds another value of its own.
// REMARK: Function=inner | Remark="expects the same value of its layer as in the layer before, but got another"
// CHECK-LABEL: func.func @inner(
// CHECK-NOT: scf.for
// CHECK: return
func.func @inner(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.activation relu %0 : !x
  %2 = hk.add %0, %0 : !x, !x
  %3 = hk.mul %1, %2 : !x, !x
  %w1 = hk.param "1.w" : !w
  %4 = hk.linear %3, %w1 : !x, !w
  %5 = hk.activation relu %4 : !x
  %6 = hk.add %5, %5 : !x, !x
  %7 = hk.mul %5, %6 : !x, !x
  return %7 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The third layer reads the first one.
// REMARK: Function=skip | Remark="expects the same value of the layer before as in the layers before, but got another"
// CHECK-LABEL: func.func @skip(
// CHECK: hk.param "2.w"
func.func @skip(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.add %x, %0 : !x, !x
  %w1 = hk.param "1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.add %1, %2 : !x, !x
  %w2 = hk.param "2.w" : !w
  %4 = hk.linear %3, %w2 : !x, !w
  %5 = hk.add %1, %4 : !x, !x
  return %5 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Both layers add a value of the first one.
// REMARK: Function=same_value | Remark="expects a value of the layer before it, as the layer before has, but got a value of that layer in both"
// CHECK-LABEL: func.func @same_value(
// CHECK-NOT: scf.for
// CHECK: return
func.func @same_value(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.add %x, %0 : !x, !x
  %w1 = hk.param "1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.add %1, %0 : !x, !x
  return %3 : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The third layer multiplies by another value of its own.
// REMARK: Function=third_inner | Remark="expects the same value of its layer as in the layers before, but got another"
// CHECK-LABEL: func.func @third_inner(
// CHECK: scf.for
// CHECK: hk.param "2.w"
// CHECK: return
func.func @third_inner(%x: !x) -> !x {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.activation relu %0 : !x
  %2 = hk.mul %0, %1 : !x, !x
  %w1 = hk.param "1.w" : !w
  %3 = hk.linear %2, %w1 : !x, !w
  %4 = hk.activation relu %3 : !x
  %5 = hk.mul %3, %4 : !x, !x
  %w2 = hk.param "2.w" : !w
  %6 = hk.linear %5, %w2 : !x, !w
  %7 = hk.activation relu %6 : !x
  %8 = hk.mul %7, %7 : !x, !x
  return %8 : !x
}
