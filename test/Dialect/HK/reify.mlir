// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize -split-input-file | FileCheck %s

// The batch of everything is the batch of the input.

!x = tensor<?x8x64xf32>

// CHECK-LABEL: func @batch_of_a_network
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf32>,
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[B:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK-NEXT: return %[[B]] : index
func.func @batch_of_a_network(%x: !x, %n: tensor<?xi32>, %w: tensor<192x64xf32>, %g: tensor<64xf32>) -> index {
  %c0 = arith.constant 0 : index
  %h = hk.cast %x : !x to tensor<?x8x64xf16>
  %f = hk.cast %h : tensor<?x8x64xf16> to !x
  %0 = hk.layer_norm %f, %g : !x, tensor<64xf32>
  %1 = hk.rms_norm %0 : !x
  %2 = hk.linear %1, %w : !x, tensor<192x64xf32>
  %q, %k, %v = hk.split %2 : tensor<?x8x192xf32> -> !x, !x, !x
  %3 = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
  %4 = hk.activation silu %3 : !x
  %5 = hk.mul %4, %x : !x, !x
  %6 = hk.add %5, %x : !x, !x
  %7 = hk.mask_rows %6 lengths(%n) : !x, tensor<?xi32>
  %d = tensor.dim %7, %c0 : !x
  return %d : index
}

// CHECK-LABEL: func @static_sizes
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: return %[[C8]], %[[C32]] : index, index
func.func @static_sizes(%x: !x, %w: tensor<32x64xf32>) -> (index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = hk.linear %x, %w : !x, tensor<32x64xf32>
  %s = tensor.dim %0, %c1 : tensor<?x8x32xf32>
  %d = tensor.dim %0, %c2 : tensor<?x8x32xf32>
  return %s, %d : index, index
}

// The batch of a part of a split.
// CHECK-LABEL: func @batch_of_a_part
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>)
// CHECK: %[[B:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK-NEXT: return %[[B]] : index
func.func @batch_of_a_part(%x: tensor<?x64xf32>) -> index {
  %c0 = arith.constant 0 : index
  %a, %b = hk.split %x : tensor<?x64xf32> -> tensor<?x16xf32>, tensor<?x48xf32>
  %d = tensor.dim %b, %c0 : tensor<?x48xf32>
  return %d : index
}
