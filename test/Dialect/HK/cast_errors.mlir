// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @cast_c1_shape(%x: tensor<?x8x64xf16>) {
  // expected-error @+1 {{expects a result of the shape and layout of 'tensor<?x8x64xf16>', but got 'tensor<2x8x64xf32>'}}
  %0 = hk.cast %x : tensor<?x8x64xf16> to tensor<2x8x64xf32>
  return
}

// -----

func.func @cast_c1_layout(%x: tensor<8x64xf64>) {
  // expected-error @+1 {{expects a result of the shape and layout of 'tensor<8x64xf64>', but got 'tensor<8x64xf32, #hk.panels<8>>'}}
  %0 = hk.cast %x : tensor<8x64xf64> to tensor<8x64xf32, #hk.panels<8>>
  return
}

// -----

func.func @cast_element_type(%x: tensor<8x64xf64>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<8x64xi8>'}}
  %0 = hk.cast %x : tensor<8x64xf64> to tensor<8x64xi8>
  return
}
