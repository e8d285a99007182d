// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @activation_c1_rank(%x: tensor<64xf32>) {
  // expected-error @+1 {{expects input of rank 2 or more, but got 'tensor<64xf32>'}}
  %0 = hk.activation relu %x : tensor<64xf32>
  return
}

// -----

func.func @activation_c1_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'hk.activation' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.activation relu %x : tensor<*xf32>
  return
}

// -----

func.func @activation_unknown_kind(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects one of gelu_erf, gelu_tanh, relu, silu, but got swish}}
  %0 = hk.activation swish %x : tensor<8x64xf32>
  return
}

// -----

func.func @activation_missing_kind(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expected valid keyword}}
  %0 = hk.activation %x : tensor<8x64xf32>
  return
}
