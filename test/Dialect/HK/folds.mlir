// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -canonicalize -split-input-file | FileCheck %s

!x = tensor<?x8x64xf32>
!h = tensor<?x8x64xf16>
!b = tensor<?x8x64xbf16>

// CHECK-LABEL: func @cast_to_the_same_type
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf32>)
// CHECK-NEXT: return %[[X]]
func.func @cast_to_the_same_type(%x: !x) -> !x {
  %0 = hk.cast %x : !x to !x
  return %0 : !x
}

// Widening loses nothing, so there and back is nowhere.
// CHECK-LABEL: func @cast_of_widening_cast_back
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf16>)
// CHECK-NEXT: return %[[X]]
func.func @cast_of_widening_cast_back(%x: !h) -> !h {
  %0 = hk.cast %x : !h to !x
  %1 = hk.cast %0 : !x to !h
  return %1 : !h
}

// CHECK-LABEL: func @cast_of_widening_cast
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xbf16>)
// CHECK-NEXT: %[[Y:.*]] = hk.cast %[[X]] : tensor<?x8x64xbf16> to tensor<?x8x64xf16>
// CHECK-NEXT: return %[[Y]]
func.func @cast_of_widening_cast(%x: !b) -> !h {
  %0 = hk.cast %x : !b to !x
  %1 = hk.cast %0 : !x to !h
  return %1 : !h
}

// CHECK-LABEL: func @no_fold_of_cast_of_narrowing_cast
// CHECK-NEXT: hk.cast
// CHECK-NEXT: hk.cast
// CHECK-NEXT: return
func.func @no_fold_of_cast_of_narrowing_cast(%x: !x) -> !x {
  %0 = hk.cast %x : !x to !h
  %1 = hk.cast %0 : !h to !x
  return %1 : !x
}

// f64 -> f32 -> f16 rounds twice.
// CHECK-LABEL: func @no_fold_of_double_rounding
// CHECK-NEXT: hk.cast
// CHECK-NEXT: hk.cast
// CHECK-NEXT: return
func.func @no_fold_of_double_rounding(%x: tensor<?x8x64xf64>) -> !h {
  %0 = hk.cast %x : tensor<?x8x64xf64> to !x
  %1 = hk.cast %0 : !x to !h
  return %1 : !h
}

// bf16 has fewer digits than f16, f16 a smaller range: both are 16 bits wide.
// CHECK-LABEL: func @no_fold_of_cast_through_other_16_bits
// CHECK-NEXT: hk.cast
// CHECK-NEXT: hk.cast
// CHECK-NEXT: return
func.func @no_fold_of_cast_through_other_16_bits(%x: !h) -> !x {
  %0 = hk.cast %x : !h to !b
  %1 = hk.cast %0 : !b to !x
  return %1 : !x
}

// -----

!x = tensor<?x8x64xf32>

// CHECK-LABEL: func @mask_of_mask
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf32>, %[[N:.*]]: tensor<?xi32>)
// CHECK-NEXT: %[[Y:.*]] = hk.mask_rows %[[X]] lengths(%[[N]])
// CHECK-NEXT: return %[[Y]]
func.func @mask_of_mask(%x: !x, %n: tensor<?xi32>) -> !x {
  %0 = hk.mask_rows %x lengths(%n) : !x, tensor<?xi32>
  %1 = hk.mask_rows %0 lengths(%n) : !x, tensor<?xi32>
  return %1 : !x
}

// CHECK-LABEL: func @mask_of_mask_by_key_mask
// CHECK-COUNT-1: hk.mask_rows
// CHECK-NOT: hk.mask_rows
// CHECK: return
func.func @mask_of_mask_by_key_mask(%x: !x, %m: tensor<?x8xi1>) -> !x {
  %0 = hk.mask_rows %x key_mask(%m) : !x, tensor<?x8xi1>
  %1 = hk.mask_rows %0 key_mask(%m) : !x, tensor<?x8xi1>
  return %1 : !x
}

// CHECK-LABEL: func @no_fold_of_mask_by_another
// CHECK-NEXT: hk.mask_rows
// CHECK-NEXT: hk.mask_rows
// CHECK-NEXT: return
func.func @no_fold_of_mask_by_another(%x: !x, %n: tensor<?xi32>, %m: tensor<?xi32>) -> !x {
  %0 = hk.mask_rows %x lengths(%n) : !x, tensor<?xi32>
  %1 = hk.mask_rows %0 lengths(%m) : !x, tensor<?xi32>
  return %1 : !x
}

// CHECK-LABEL: func @no_fold_of_mask_by_another_kind
// CHECK-NEXT: hk.mask_rows
// CHECK-NEXT: hk.mask_rows
// CHECK-NEXT: return
func.func @no_fold_of_mask_by_another_kind(%x: !x, %n: tensor<?xi32>, %m: tensor<?x8xi1>) -> !x {
  %0 = hk.mask_rows %x lengths(%n) : !x, tensor<?xi32>
  %1 = hk.mask_rows %0 key_mask(%m) : !x, tensor<?x8xi1>
  return %1 : !x
}

// -----

!x = tensor<2x8x64xf32>

// CHECK-LABEL: func @add_of_zero
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x64xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @add_of_zero(%x: !x) -> (!x, !x, !x) {
  %z = arith.constant dense<0.0> : !x
  %n = arith.constant dense<-0.0> : !x
  %p = hk.pack.zeros : !x
  %0 = hk.add %x, %z : !x, !x
  %1 = hk.add %n, %x : !x, !x
  %2 = hk.add %x, %p : !x, !x
  return %0, %1, %2 : !x, !x, !x
}

// CHECK-LABEL: func @no_fold_of_add
// CHECK: hk.add
// CHECK: hk.add
func.func @no_fold_of_add(%x: !x, %y: !x) -> (!x, !x) {
  %c = arith.constant dense<1.0e-30> : !x
  %0 = hk.add %x, %c : !x, !x
  %1 = hk.add %x, %y : !x, !x
  return %0, %1 : !x, !x
}

// 0 * NaN is not 0.
// CHECK-LABEL: func @no_fold_of_mul_by_zero
// CHECK: hk.mul
func.func @no_fold_of_mul_by_zero(%x: !x) -> !x {
  %z = arith.constant dense<0.0> : !x
  %0 = hk.mul %x, %z : !x, !x
  return %0 : !x
}

// -----

// CHECK-LABEL: func @split_into_one
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf32>)
// CHECK-NEXT: return %[[X]]
func.func @split_into_one(%x: tensor<?x8x64xf32>) -> tensor<?x8x64xf32> {
  %0 = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x64xf32>
  return %0 : tensor<?x8x64xf32>
}

// CHECK-LABEL: func @no_fold_of_split_into_two
// CHECK-NEXT: hk.split
func.func @no_fold_of_split_into_two(%x: tensor<?x8x64xf32>) -> tensor<?x8x32xf32> {
  %0, %1 = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x32xf32>, tensor<?x8x32xf32>
  return %0 : tensor<?x8x32xf32>
}

// -----

// CHECK-LABEL: func @linear_with_zero_bias
// CHECK-SAME: (%[[X:.*]]: tensor<?x8x64xf32>, %[[W:.*]]: tensor<32x64xf32>)
// CHECK-NEXT: %[[Y:.*]] = hk.linear %[[X]], %[[W]] : tensor<?x8x64xf32>, tensor<32x64xf32>
// CHECK-NEXT: return %[[Y]]
func.func @linear_with_zero_bias(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x8x32xf32> {
  %b = hk.pack.zeros : tensor<32xf32>
  %0 = hk.linear %x, %w, %b : tensor<?x8x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  return %0 : tensor<?x8x32xf32>
}

// CHECK-LABEL: func @no_fold_of_linear_with_bias
// CHECK-NEXT: hk.linear %{{.*}}, %{{.*}}, %{{.*}} :
func.func @no_fold_of_linear_with_bias(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf32>, %b: tensor<32xf32>) -> tensor<?x8x32xf32> {
  %0 = hk.linear %x, %w, %b : tensor<?x8x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  return %0 : tensor<?x8x32xf32>
}

// -----

// CHECK-LABEL: func @pack_add_of_zeros
// CHECK-SAME: (%[[V:.*]]: tensor<8xf64>)
// CHECK-NEXT: return %[[V]], %[[V]]
func.func @pack_add_of_zeros(%v: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %z = hk.pack.zeros : tensor<8xf64>
  %0 = hk.pack.add %v, %z : tensor<8xf64>
  %1 = hk.pack.add %z, %v : tensor<8xf64>
  return %0, %1 : tensor<8xf64>, tensor<8xf64>
}

// CHECK-LABEL: func @pack_concat_of_one
// CHECK-SAME: (%[[V:.*]]: tensor<8xf64>)
// CHECK-NEXT: return %[[V]]
func.func @pack_concat_of_one(%v: tensor<8xf64>) -> tensor<8xf64> {
  %0 = hk.pack.concat %v dim 0 : tensor<8xf64> -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// CHECK-LABEL: func @no_fold_of_pack_concat_with_zeros
// CHECK: hk.pack.concat
func.func @no_fold_of_pack_concat_with_zeros(%v: tensor<8xf64>) -> tensor<16xf64> {
  %z = hk.pack.zeros : tensor<8xf64>
  %0 = hk.pack.concat %v, %z dim 0 : tensor<8xf64>, tensor<8xf64> -> tensor<16xf64>
  return %0 : tensor<16xf64>
}
