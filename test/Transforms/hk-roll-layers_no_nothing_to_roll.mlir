// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-roll-layers | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-roll-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK -allow-empty

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// Three linears of one input hand nothing on, and need no remark.
// REMARK-NOT: remark
// CHECK-LABEL: func.func @parallel(
// CHECK-NOT: scf.for
// CHECK: return
func.func @parallel(%x: !x) -> (!x, !x, !x) {
  %w0 = hk.param "proj.0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %w1 = hk.param "proj.1.w" : !w
  %1 = hk.linear %x, %w1 : !x, !w
  %w2 = hk.param "proj.2.w" : !w
  %2 = hk.linear %x, %w2 : !x, !w
  return %0, %1, %2 : !x, !x, !x
}

// -----

!x = tensor<?x8x16xf32>

// Without parameters there is no layer.
// REMARK-NOT: remark
// CHECK-LABEL: func.func @no_parameters(
// CHECK-NOT: scf.for
// CHECK: return
func.func @no_parameters(%x: !x) -> !x {
  %0 = hk.activation relu %x : !x
  %1 = hk.activation relu %0 : !x
  return %1 : !x
}

// -----

!x = tensor<?x8x16xf32>

// Nor is there one to explain where two operations happen to be the same.
// REMARK-NOT: remark
// CHECK-LABEL: func.func @two_adds(
// CHECK-NOT: scf.for
// CHECK: return
func.func @two_adds(%x: !x) -> !x {
  %0 = hk.activation relu %x : !x
  %1 = hk.add %x, %0 : !x, !x
  %2 = hk.add %0, %1 : !x, !x
  return %2 : !x
}
