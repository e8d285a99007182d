// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-widen | FileCheck %s
// RUN: hk-opt %s -hk-widen -hk-widen -canonicalize | FileCheck %s
// RUN: hk-opt %s -hk-widen -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!h = tensor<?x8x4xf16>
!b = tensor<2x8x4xbf16>

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x4xf16>, %[[L:.*]]: tensor<?xi32>) -> tensor<?x8x4xf16>
// CHECK-DAG:     %[[X32:.*]] = hk.cast %[[X]] : tensor<?x8x4xf16> to tensor<?x8x4xf32>
// CHECK-DAG:     %[[W:.*]] = hk.param "w" from f16 : tensor<4x4xf32>
// CHECK:         %[[Y:.*]] = hk.linear %[[X32]], %[[W]] : tensor<?x8x4xf32>, tensor<4x4xf32>
// CHECK:         %[[Z:.*]] = hk.mask_rows %[[Y]] lengths(%[[L]]) : tensor<?x8x4xf32>, tensor<?xi32>
// CHECK:         %[[R:.*]] = hk.cast %[[Z]] : tensor<?x8x4xf32> to tensor<?x8x4xf16>
// CHECK:         return %[[R]] : tensor<?x8x4xf16>
// REMARK: remark: {{.*}}hk-widen{{.*}}computes in f32; inputs are widened and results rounded once
func.func @half(%x: !h, %l: tensor<?xi32>) -> !h {
  %w = hk.param "w" : tensor<4x4xf16>
  %y = hk.linear %x, %w : !h, tensor<4x4xf16>
  %z = hk.mask_rows %y lengths(%l) : !h, tensor<?xi32>
  return %z : !h
}

// The network rounds to bf16 by itself: it still does. A cast to f32 does
// nothing any more.
// CHECK-LABEL: func.func @rounds(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
// CHECK:         %[[A:.*]] = hk.activation silu %[[X]] : tensor<2x8x4xf32>
// CHECK:         %[[D:.*]] = hk.cast %[[A]] : tensor<2x8x4xf32> to tensor<2x8x4xbf16>
// CHECK:         %[[U:.*]] = hk.cast %[[D]] : tensor<2x8x4xbf16> to tensor<2x8x4xf32>
// CHECK:         %[[S:.*]] = hk.add %[[U]], %[[U]] : tensor<2x8x4xf32>, tensor<2x8x4xf32>
// CHECK:         return %[[S]] : tensor<2x8x4xf32>
func.func @rounds(%x: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %a = hk.activation silu %x : tensor<2x8x4xf32>
  %d = hk.cast %a : tensor<2x8x4xf32> to !b
  %s = hk.add %d, %d : !b, !b
  %u = hk.cast %s : !b to tensor<2x8x4xf32>
  return %u : tensor<2x8x4xf32>
}
