// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @mask_rows_c1_rank(%x: tensor<?x64xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expects input to be [B, S, D], but got 'tensor<?x64xf32>'}}
  %0 = hk.mask_rows %x lengths(%n) : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @mask_rows_c1_unranked(%x: tensor<*xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{'hk.mask_rows' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.mask_rows %x lengths(%n) : tensor<*xf32>, tensor<?xi32>
  return
}

// -----

func.func @mask_rows_c1_dynamic_sequence(%x: tensor<?x?x64xf32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expects input to be static and not empty but for dimension 0, but got 'tensor<?x?x64xf32>'}}
  %0 = hk.mask_rows %x lengths(%n) : tensor<?x?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @mask_rows_c2_neither(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects one of lengths and key_mask, but got neither}}
  %0 = hk.mask_rows %x : tensor<?x8x64xf32>
  return
}

// -----

func.func @mask_rows_c2_both(%x: tensor<?x8x64xf32>, %n: tensor<?xi32>, %m: tensor<?x8xi1>) {
  // expected-error @+1 {{expects one of lengths and key_mask, but got both}}
  %0 = hk.mask_rows %x lengths(%n) key_mask(%m) : tensor<?x8x64xf32>, tensor<?xi32>, tensor<?x8xi1>
  return
}

// -----

func.func @mask_rows_c3_lengths(%x: tensor<4x8x64xf32>, %n: tensor<8xi32>) {
  // expected-error @+1 {{expects lengths with the batch of 'tensor<4x8x64xf32>', but got 'tensor<8xi32>'}}
  %0 = hk.mask_rows %x lengths(%n) : tensor<4x8x64xf32>, tensor<8xi32>
  return
}

// -----

func.func @mask_rows_c3_key_mask(%x: tensor<?x8x64xf32>, %m: tensor<?x64xi1>) {
  // expected-error @+1 {{expects key_mask of the first two dimensions of 'tensor<?x8x64xf32>', but got 'tensor<?x64xi1>'}}
  %0 = hk.mask_rows %x key_mask(%m) : tensor<?x8x64xf32>, tensor<?x64xi1>
  return
}

// -----

func.func @mask_rows_lengths_type(%x: tensor<?x8x64xf32>, %n: tensor<?xi64>) {
  // expected-error @+1 {{operand #1 must be 1D tensor of 32-bit signless integer values, but got 'tensor<?xi64>'}}
  %0 = hk.mask_rows %x lengths(%n) : tensor<?x8x64xf32>, tensor<?xi64>
  return
}

// -----

func.func @mask_rows_key_mask_type(%x: tensor<?x8x64xf32>, %m: tensor<?x8xi8>) {
  // expected-error @+1 {{operand #1 must be 2D tensor of 1-bit signless integer values, but got 'tensor<?x8xi8>'}}
  %0 = hk.mask_rows %x key_mask(%m) : tensor<?x8x64xf32>, tensor<?x8xi8>
  return
}
