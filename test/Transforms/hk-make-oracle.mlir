// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-make-oracle | FileCheck %s
// RUN: hk-opt %s -hk-make-oracle -hk-make-oracle | FileCheck %s
// RUN: hk-opt %s -hk-make-oracle -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x4xf32>
!v = tensor<4xf32>
!w = tensor<4x4xf32>
!m = tensor<?x8xi1>

// The network stays as it is, and is followed by its oracle.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %{{.*}}: tensor<?x8x4xf32> {hk.name = "x"}, %{{.*}}: tensor<?x8xi1>) -> tensor<?x8x4xf32> {
// CHECK-NOT:     f64>
// CHECK-LABEL: func.func @forward.oracle(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x4xf32> {hk.name = "x"}, %[[M:.*]]: tensor<?x8xi1>) -> tensor<?x8x4xf64>
// CHECK-SAME:    attributes {hk.oracle_of = @forward}
// CHECK:         %[[X64:.*]] = hk.cast %[[X]] : tensor<?x8x4xf32> to tensor<?x8x4xf64>
// CHECK:         %[[G:.*]] = hk.param "g" from f32 : tensor<4xf64>
// CHECK:         %[[W:.*]] = hk.param "w" from f32 : tensor<4x4xf64>
// CHECK:         %[[H:.*]] = hk.rms_norm %[[X64]], %[[G]] : tensor<?x8x4xf64>, tensor<4xf64>
// CHECK:         %[[L:.*]] = hk.linear %[[H]], %[[W]] : tensor<?x8x4xf64>, tensor<4x4xf64>
// CHECK:         %[[A:.*]] = hk.attention %[[L]], %[[L]], %[[L]] key_mask(%[[M]])
// CHECK-SAME:      tensor<?x8x4xf64>, tensor<?x8x4xf64>, tensor<?x8x4xf64>, tensor<?x8xi1>
// CHECK:         return %[[A]] : tensor<?x8x4xf64>
// REMARK: remark: {{.*}}hk-make-oracle{{.*}}oracle added: computes in f64
func.func @forward(%x: !x {hk.name = "x"}, %m: !m) -> !x {
  %g = hk.param "g" : !v
  %w = hk.param "w" : !w
  %h = hk.rms_norm %x, %g {eps = 1.0e-5 : f64} : !x, !v
  %l = hk.linear %h, %w : !x, !w
  %a = hk.attention %l, %l, %l key_mask(%m) {num_heads = 2 : i32, causal} : !x, !x, !x, !m
  return %a : !x
}

// Rounding to f16 is how the network computes: the oracle has none of it. The
// parameter is still the f16 one of the checkpoint. The batch becomes dynamic.
// CHECK-LABEL: func.func @half.oracle(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x4xf16>) -> (tensor<?x8x4xf64>, tensor<?x8x4xf64>)
// CHECK:         %[[X64:.*]] = hk.cast %[[X]] : tensor<?x8x4xf16> to tensor<?x8x4xf64>
// CHECK:         %[[G:.*]] = hk.param "h" from f16 : tensor<4xf64>
// CHECK:         %[[H:.*]] = hk.rms_norm %[[X64]], %[[G]]
// CHECK-NOT:     hk.cast
// CHECK:         %[[A:.*]]:2 = hk.split %[[H]] : tensor<?x8x4xf64> -> tensor<?x8x2xf64>, tensor<?x8x2xf64>
// CHECK:         return %[[H]], %[[X64]] : tensor<?x8x4xf64>, tensor<?x8x4xf64>
func.func @half(%x: tensor<2x8x4xf16>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf16>) {
  %g = hk.param "h" : tensor<4xf16>
  %h = hk.rms_norm %x, %g : tensor<2x8x4xf16>, tensor<4xf16>
  %c = hk.cast %h : tensor<2x8x4xf16> to tensor<2x8x4xf32>
  %d = hk.cast %c : tensor<2x8x4xf32> to tensor<2x8x4xbf16>
  %s:2 = hk.split %d : tensor<2x8x4xbf16> -> tensor<2x8x2xbf16>, tensor<2x8x2xbf16>
  return %c, %x : tensor<2x8x4xf32>, tensor<2x8x4xf16>
}

// f64 inputs and parameters need no cast and no `from`.
// CHECK-LABEL: func.func @double.oracle(
// CHECK-NOT:     hk.cast
// CHECK:         hk.param "d" : tensor<4xf64>
// CHECK-NOT:     hk.cast
// CHECK:         return
func.func @double(%x: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %g = hk.param "d" : tensor<4xf64>
  %y = hk.layer_norm %x, %g : tensor<2x4xf64>, tensor<4xf64>
  return %y : tensor<2x4xf64>
}

// What cannot be called from outside has no oracle, nor has a declaration.
// CHECK-NOT: @private.oracle
// CHECK-NOT: @declared.oracle
func.func private @private(%x: !x) -> !x {
  %y = hk.add %x, %x : !x, !x
  return %y : !x
}
func.func private @declared(!x) -> !x
