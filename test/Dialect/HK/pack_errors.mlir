// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @pack_zeros_dynamic() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?xf32>'}}
  %0 = hk.pack.zeros : tensor<?xf32>
  return
}

// -----

func.func @pack_scale_c1_factor(%m: tensor<8x16xf64>) {
  // expected-error @+1 {{expects a finite factor, but got}}
  %0 = hk.pack.scale %m by 0x7FF0000000000000 : tensor<8x16xf64>
  return
}

// -----

func.func @pack_scale_dim_c1_dim(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // expected-error @+1 {{expects dim to be a dimension of 'tensor<8x16xf64>', but got 2}}
  %0 = hk.pack.scale_dim %m, %v dim 2 : tensor<8x16xf64>, tensor<16xf64>
  return
}

// -----

func.func @pack_scale_dim_c1_negative(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // expected-error @+1 {{expects dim to be a dimension of 'tensor<8x16xf64>', but got -1}}
  %0 = hk.pack.scale_dim %m, %v dim -1 : tensor<8x16xf64>, tensor<16xf64>
  return
}

// -----

func.func @pack_scale_dim_c2_size(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // expected-error @+1 {{expects factors to be 'tensor<8xf64>', but got 'tensor<16xf64>'}}
  %0 = hk.pack.scale_dim %m, %v dim 0 : tensor<8x16xf64>, tensor<16xf64>
  return
}

// -----

func.func @pack_scale_dim_c2_element_type(%m: tensor<8x16xf64>, %v: tensor<16xf32>) {
  // expected-error @+1 {{expects factors to be 'tensor<16xf64>', but got 'tensor<16xf32>'}}
  %0 = hk.pack.scale_dim %m, %v dim 1 : tensor<8x16xf64>, tensor<16xf32>
  return
}

// -----

func.func @pack_matvec_c1_rank(%v: tensor<16xf64>) {
  // expected-error @+1 {{expects a matrix, but got 'tensor<16xf64>'}}
  %0 = hk.pack.matvec %v, %v : tensor<16xf64>, tensor<16xf64> -> tensor<16xf64>
  return
}

// -----

func.func @pack_matvec_c1_vector(%m: tensor<8x16xf64>, %v: tensor<8xf64>) {
  // expected-error @+1 {{expects a vector of type 'tensor<16xf64>', but got 'tensor<8xf64>'}}
  %0 = hk.pack.matvec %m, %v : tensor<8x16xf64>, tensor<8xf64> -> tensor<8xf64>
  return
}

// -----

func.func @pack_matvec_c1_result(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // expected-error @+1 {{expects a result of type 'tensor<8xf64>', but got 'tensor<16xf64>'}}
  %0 = hk.pack.matvec %m, %v : tensor<8x16xf64>, tensor<16xf64> -> tensor<16xf64>
  return
}

// -----

func.func @pack_concat_c1_no_input() {
  // expected-error @+1 {{expects at least one input, but got none}}
  %0 = "hk.pack.concat"() <{dim = 0 : i64}> : () -> tensor<8xf64>
  return
}

// -----

func.func @pack_concat_c1_dim(%v: tensor<8xf64>) {
  // expected-error @+1 {{expects dim to be a dimension of 'tensor<16xf64>', but got 1}}
  %0 = hk.pack.concat %v, %v dim 1 : tensor<8xf64>, tensor<8xf64> -> tensor<16xf64>
  return
}

// -----

func.func @pack_concat_c2_rank(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // expected-error @+1 {{expects inputs like 'tensor<9x16xf64>' but for dimension 0, but got 'tensor<16xf64>'}}
  %0 = hk.pack.concat %m, %v dim 0 : tensor<8x16xf64>, tensor<16xf64> -> tensor<9x16xf64>
  return
}

// -----

func.func @pack_concat_c2_other_dimension(%m: tensor<8x16xf64>, %n: tensor<8x15xf64>) {
  // expected-error @+1 {{expects inputs like 'tensor<16x16xf64>' but for dimension 0, but got 'tensor<8x15xf64>'}}
  %0 = hk.pack.concat %m, %n dim 0 : tensor<8x16xf64>, tensor<8x15xf64> -> tensor<16x16xf64>
  return
}

// -----

func.func @pack_concat_c2_element_type(%m: tensor<8xf64>, %n: tensor<8xf32>) {
  // expected-error @+1 {{expects inputs like 'tensor<16xf64>' but for dimension 0, but got 'tensor<8xf32>'}}
  %0 = hk.pack.concat %m, %n dim 0 : tensor<8xf64>, tensor<8xf32> -> tensor<16xf64>
  return
}

// -----

func.func @pack_concat_c2_sum(%m: tensor<8xf64>) {
  // expected-error @+1 {{expects a result of size 16 along dimension 0, but got 'tensor<17xf64>'}}
  %0 = hk.pack.concat %m, %m dim 0 : tensor<8xf64>, tensor<8xf64> -> tensor<17xf64>
  return
}

// -----

func.func @pack_concat_dynamic(%m: tensor<?xf64>) {
  // expected-error @+1 {{operand #0 must be variadic of statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?xf64>'}}
  %0 = hk.pack.concat %m, %m dim 0 : tensor<?xf64>, tensor<?xf64> -> tensor<17xf64>
  return
}

// -----

func.func @pack_layout_c1_rank(%v: tensor<16xf64>) {
  // expected-error @+1 {{expects a matrix and the same matrix with a layout (#hk.panels or #hk.tiles), but got 'tensor<16xf64>' and 'tensor<16xf64, #hk.panels<4>>'}}
  %0 = hk.pack.layout %v : tensor<16xf64> -> tensor<16xf64, #hk.panels<4>>
  return
}

// -----

func.func @pack_layout_c1_shape(%m: tensor<8x16xf64>) {
  // expected-error @+1 {{expects a matrix and the same matrix with a layout (#hk.panels or #hk.tiles), but got 'tensor<8x16xf64>' and 'tensor<16x8xf64, #hk.panels<4>>'}}
  %0 = hk.pack.layout %m : tensor<8x16xf64> -> tensor<16x8xf64, #hk.panels<4>>
  return
}

// -----

func.func @pack_layout_c1_no_layout(%m: tensor<8x16xf64>) {
  // expected-error @+1 {{expects a matrix and the same matrix with a layout (#hk.panels or #hk.tiles), but got 'tensor<8x16xf64>' and 'tensor<8x16xf64>'}}
  %0 = hk.pack.layout %m : tensor<8x16xf64> -> tensor<8x16xf64>
  return
}

// -----

func.func @pack_layout_c1_other_layout(%m: tensor<8x16xf64>) {
  // expected-error @+1 {{expects a matrix and the same matrix with a layout (#hk.panels or #hk.tiles), but got 'tensor<8x16xf64>' and 'tensor<8x16xf64, "rows">'}}
  %0 = hk.pack.layout %m : tensor<8x16xf64> -> tensor<8x16xf64, "rows">
  return
}

// -----

func.func @pack_layout_c1_twice(%m: tensor<8x16xf64, #hk.panels<4>>) {
  // expected-error @+1 {{expects a matrix and the same matrix with a layout (#hk.panels or #hk.tiles), but got 'tensor<8x16xf64, #hk.panels<4>>' and 'tensor<8x16xf64, #hk.panels<8>>'}}
  %0 = hk.pack.layout %m : tensor<8x16xf64, #hk.panels<4>> -> tensor<8x16xf64, #hk.panels<8>>
  return
}
