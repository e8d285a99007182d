// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @param_c1_dynamic() {
  // expected-error @+1 {{expects a static, non-empty type of rank 1 or 2 without a layout, but got 'tensor<?x8xf32>'}}
  %0 = hk.param "w" : tensor<?x8xf32>
  return
}

// -----

func.func @param_c1_rank_0() {
  // expected-error @+1 {{expects a static, non-empty type of rank 1 or 2 without a layout, but got 'tensor<f32>'}}
  %0 = hk.param "w" : tensor<f32>
  return
}

// -----

func.func @param_c1_rank_3() {
  // expected-error @+1 {{expects a static, non-empty type of rank 1 or 2 without a layout, but got 'tensor<2x8x8xf32>'}}
  %0 = hk.param "w" : tensor<2x8x8xf32>
  return
}

// -----

func.func @param_c1_empty() {
  // expected-error @+1 {{expects a static, non-empty type of rank 1 or 2 without a layout, but got 'tensor<0x8xf32>'}}
  %0 = hk.param "w" : tensor<0x8xf32>
  return
}

// -----

func.func @param_c1_layout() {
  // expected-error @+1 {{expects a static, non-empty type of rank 1 or 2 without a layout, but got 'tensor<8x8xf32, #hk.panels<4>>'}}
  %0 = hk.param "w" : tensor<8x8xf32, #hk.panels<4>>
  return
}

// -----

func.func @param_c2_empty_key() {
  // expected-error @+1 {{expects a key, but got an empty string}}
  %0 = hk.param "" : tensor<8xf32>
  return
}

// -----

func.func @param_c3_hole_without_layer() {
  // expected-error @+1 {{expects no "{}" in the key of a parameter without a layer, but got "layers.{}.w"}}
  %0 = hk.param "layers.{}.w" : tensor<8xf32>
  return
}

// -----

func.func @param_c3_layer_without_hole(%l: index) {
  // expected-error @+1 {{expects one "{}" in the key of a parameter with a layer, but got "layers.0.w"}}
  %0 = hk.param "layers.0.w"[%l] : tensor<8xf32>
  return
}

// -----

func.func @param_c3_two_holes(%l: index) {
  // expected-error @+1 {{expects one "{}" in the key of a parameter with a layer, but got "{}.{}.w"}}
  %0 = hk.param "{}.{}.w"[%l] : tensor<8xf32>
  return
}

// -----

func.func @param_c4_from_wider() {
  // expected-error @+1 {{expects `from` to be f16, bf16, f32 or f64 and every value of it to be one of 'f16', but got 'f32'}}
  %0 = hk.param "w" from f32 : tensor<8xf16>
  return
}

// -----

// As wide, but neither holds the other's values.
func.func @param_c4_from_other_16_bits() {
  // expected-error @+1 {{expects `from` to be f16, bf16, f32 or f64 and every value of it to be one of 'f16', but got 'bf16'}}
  %0 = hk.param "w" from bf16 : tensor<8xf16>
  return
}

// -----

func.func @param_c4_from_integer() {
  // expected-error @+1 {{expects `from` to be f16, bf16, f32 or f64 and every value of it to be one of 'f32', but got 'i8'}}
  %0 = hk.param "w" from i8 : tensor<8xf32>
  return
}

// -----

func.func @param_element_type() {
  // expected-error @+1 {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<8xi32>'}}
  %0 = hk.param "w" : tensor<8xi32>
  return
}
