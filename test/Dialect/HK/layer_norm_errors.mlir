// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @layer_norm_c1_rank(%x: tensor<64xf32>) {
  // expected-error @+1 {{expects input of rank 2 or more, but got 'tensor<64xf32>'}}
  %0 = hk.layer_norm %x : tensor<64xf32>
  return
}

// -----

func.func @layer_norm_c1_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'hk.layer_norm' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.layer_norm %x : tensor<*xf32>
  return
}

// -----

func.func @layer_norm_c1_dynamic(%x: tensor<8x?xf32>) {
  // expected-error @+1 {{expects input to be static and not empty but for dimension 0, but got 'tensor<8x?xf32>'}}
  %0 = hk.layer_norm %x : tensor<8x?xf32>
  return
}

// -----

func.func @layer_norm_c1_empty(%x: tensor<8x0xf32>) {
  // expected-error @+1 {{expects input to be static and not empty but for dimension 0, but got 'tensor<8x0xf32>'}}
  %0 = hk.layer_norm %x : tensor<8x0xf32>
  return
}

// -----

func.func @layer_norm_c2_gamma(%x: tensor<8x64xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{expects gamma to be a vector of 64 elements, but got 'tensor<8xf32>'}}
  %0 = hk.layer_norm %x, %g : tensor<8x64xf32>, tensor<8xf32>
  return
}

// -----

func.func @layer_norm_c2_beta(%x: tensor<8x64xf32>, %g: tensor<64xf32>, %b: tensor<64x1xf32>) {
  // expected-error @+1 {{expects beta to be a vector of 64 elements, but got 'tensor<64x1xf32>'}}
  %0 = hk.layer_norm %x, %g, %b : tensor<8x64xf32>, tensor<64xf32>, tensor<64x1xf32>
  return
}

// -----

func.func @layer_norm_c3_eps_zero(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects eps to be positive and finite, but got 0}}
  %0 = hk.layer_norm %x {eps = 0.0 : f64} : tensor<8x64xf32>
  return
}

// -----

func.func @layer_norm_c3_eps_negative(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects eps to be positive and finite, but got -1}}
  %0 = hk.layer_norm %x {eps = -1.0 : f64} : tensor<8x64xf32>
  return
}

// -----

func.func @layer_norm_c3_eps_nan(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects eps to be positive and finite, but got}}
  %0 = hk.layer_norm %x {eps = 0x7FF8000000000000 : f64} : tensor<8x64xf32>
  return
}

// -----

func.func @layer_norm_c4_beta_alone(%x: tensor<8x64xf32>, %b: tensor<64xf32>) {
  // expected-error @+1 {{expects a gamma beside beta, but got none}}
  %0 = "hk.layer_norm"(%x, %b) <{operandSegmentSizes = array<i32: 1, 0, 1>, eps = 1.0e-5 : f64}> : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  return
}
