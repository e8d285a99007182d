// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @rms_norm_c1_rank(%x: tensor<64xf32>) {
  // expected-error @+1 {{expects input of rank 2 or more, but got 'tensor<64xf32>'}}
  %0 = hk.rms_norm %x : tensor<64xf32>
  return
}

// -----

func.func @rms_norm_c1_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'hk.rms_norm' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.rms_norm %x : tensor<*xf32>
  return
}

// -----

func.func @rms_norm_c2_gamma(%x: tensor<8x64xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{expects gamma to be a vector of 64 elements, but got 'tensor<8xf32>'}}
  %0 = hk.rms_norm %x, %g : tensor<8x64xf32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_c3_eps(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects eps to be positive and finite, but got}}
  %0 = hk.rms_norm %x {eps = 0x7FF0000000000000 : f64} : tensor<8x64xf32>
  return
}
