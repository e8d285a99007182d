// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @linear_c1_weight_rank(%x: tensor<?x8x64xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{'hk.linear' op expects a static weight of rank 2, but got 'tensor<64xf32>'}}
  %y = hk.linear %x, %w : tensor<?x8x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @linear_c1_dynamic_weight(%x: tensor<?x8x64xf32>, %w: tensor<?x64xf32>) {
  // expected-error @+1 {{'hk.linear' op expects a static weight of rank 2, but got 'tensor<?x64xf32>'}}
  %y = hk.linear %x, %w : tensor<?x8x64xf32>, tensor<?x64xf32>
  return
}

// -----

func.func @linear_c2_input_features(%x: tensor<?x8x64xf32>, %w: tensor<32x48xf32>) {
  // expected-error @+1 {{expects a weight of 64 input features, but got 'tensor<32x48xf32>'}}
  %y = hk.linear %x, %w : tensor<?x8x64xf32>, tensor<32x48xf32>
  return
}

// -----

func.func @linear_c3_bias_size(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>) {
  // expected-error @+1 {{expects bias to be a vector of 32 elements, but got 'tensor<64xf32>'}}
  %y = hk.linear %x, %w, %b : tensor<?x8x64xf32>, tensor<32x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @linear_c3_bias_rank(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf32>, %b: tensor<1x32xf32>) {
  // expected-error @+1 {{expects bias to be a vector of 32 elements, but got 'tensor<1x32xf32>'}}
  %y = hk.linear %x, %w, %b : tensor<?x8x64xf32>, tensor<32x64xf32>, tensor<1x32xf32>
  return
}

// -----

func.func @linear_c4_input_rank(%x: tensor<64xf32>, %w: tensor<32x64xf32>) {
  // expected-error @+1 {{'hk.linear' op expects input of rank 2 or more, but got 'tensor<64xf32>'}}
  %y = hk.linear %x, %w : tensor<64xf32>, tensor<32x64xf32>
  return
}

// -----

func.func @linear_c4_unranked_input(%x: tensor<*xf32>, %w: tensor<32x64xf32>) {
  // expected-error @+1 {{'hk.linear' op expects input of rank 2 or more, but got 'tensor<*xf32>'}}
  %y = hk.linear %x, %w : tensor<*xf32>, tensor<32x64xf32>
  return
}

// -----

func.func @linear_c4_dynamic_sequence(%x: tensor<?x?x64xf32>, %w: tensor<32x64xf32>) {
  // expected-error @+1 {{expects input to be static and not empty but for dimension 0, but got 'tensor<?x?x64xf32>'}}
  %y = hk.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xf32>
  return
}

// -----

func.func @linear_c4_input_with_layout(%x: tensor<8x64xf32, #hk.panels<8>>, %w: tensor<32x64xf32>) {
  // expected-error @+1 {{expects input without a layout, but got 'tensor<8x64xf32, #hk.panels<8>>'}}
  %y = hk.linear %x, %w : tensor<8x64xf32, #hk.panels<8>>, tensor<32x64xf32>
  return
}

// -----

func.func @linear_c5_bias_element_type(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf16>, %b: tensor<32xf32>) {
  // expected-error @+1 {{expects a bias of the element type of the weight ('f16'), but got 'tensor<32xf32>'}}
  %y = hk.linear %x, %w, %b : tensor<?x8x64xf32>, tensor<32x64xf16>, tensor<32xf32>
  return
}

// -----

func.func @linear_element_type(%x: tensor<?x8x64xi32>, %w: tensor<32x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<?x8x64xi32>'}}
  %y = hk.linear %x, %w : tensor<?x8x64xi32>, tensor<32x64xf32>
  return
}

// -----

// The type of the result follows from the operands.
func.func @linear_result_type(%x: tensor<?x8x64xf32>, %w: tensor<32x64xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x8x32xf32>' are incompatible with return type(s) of operation 'tensor<?x8x48xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = "hk.linear"(%x, %w) : (tensor<?x8x64xf32>, tensor<32x64xf32>) -> tensor<?x8x48xf32>
  return
}
