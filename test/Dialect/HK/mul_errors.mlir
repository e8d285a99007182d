// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @mul_c1_rank(%a: tensor<64xf32>) {
  // expected-error @+1 {{expects operands of rank 2 or more, but got 'tensor<64xf32>'}}
  %0 = hk.mul %a, %a : tensor<64xf32>, tensor<64xf32>
  return
}

// -----

func.func @mul_c1_unranked(%a: tensor<*xf32>) {
  // expected-error @+1 {{'hk.mul' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.mul %a, %a : tensor<*xf32>, tensor<*xf32>
  return
}

// -----

func.func @mul_c2_shapes(%a: tensor<?x8x64xf32>, %b: tensor<2x8x64xf32>) {
  // expected-error @+1 {{expects two operands of one type, but got 'tensor<?x8x64xf32>' and 'tensor<2x8x64xf32>'}}
  %0 = hk.mul %a, %b : tensor<?x8x64xf32>, tensor<2x8x64xf32>
  return
}

// -----

func.func @mul_c2_element_types(%a: tensor<8x64xf32>, %b: tensor<8x64xf16>) {
  // expected-error @+1 {{expects two operands of one type, but got 'tensor<8x64xf32>' and 'tensor<8x64xf16>'}}
  %0 = hk.mul %a, %b : tensor<8x64xf32>, tensor<8x64xf16>
  return
}
