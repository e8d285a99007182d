// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @split_c1_rank(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results like 'tensor<?x8x64xf32>' but for the last dimension, but got 'tensor<?x64xf32>'}}
  %a = hk.split %x : tensor<?x8x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @split_c1_shape(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results like 'tensor<?x8x64xf32>' but for the last dimension, but got 'tensor<?x4x32xf32>'}}
  %a, %b = hk.split %x : tensor<?x8x64xf32> -> tensor<?x4x32xf32>, tensor<?x4x32xf32>
  return
}

// -----

func.func @split_c1_element_type(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results like 'tensor<?x8x64xf32>' but for the last dimension, but got 'tensor<?x8x32xf16>'}}
  %a, %b = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x32xf16>, tensor<?x8x32xf16>
  return
}

// -----

func.func @split_c1_layout(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expects results like 'tensor<8x64xf32>' but for the last dimension, but got 'tensor<8x64xf32, #hk.panels<8>>'}}
  %a = hk.split %x : tensor<8x64xf32> -> tensor<8x64xf32, #hk.panels<8>>
  return
}

// -----

func.func @split_c1_input_rank(%x: tensor<64xf32>) {
  // expected-error @+1 {{expects input of rank 2 or more, but got 'tensor<64xf32>'}}
  %a = hk.split %x : tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @split_c2_sum(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results of 64 columns in all, but got 48}}
  %a, %b = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x32xf32>, tensor<?x8x16xf32>
  return
}

// -----

func.func @split_c2_dynamic(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results with a static, non-empty last dimension, but got 'tensor<?x8x?xf32>'}}
  %a, %b = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x?xf32>, tensor<?x8x32xf32>
  return
}

// -----

func.func @split_c2_empty(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects results with a static, non-empty last dimension, but got 'tensor<?x8x0xf32>'}}
  %a, %b = hk.split %x : tensor<?x8x64xf32> -> tensor<?x8x64xf32>, tensor<?x8x0xf32>
  return
}

// -----

func.func @split_c3_no_result(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects at least one result, but got none}}
  "hk.split"(%x) : (tensor<?x8x64xf32>) -> ()
  return
}
