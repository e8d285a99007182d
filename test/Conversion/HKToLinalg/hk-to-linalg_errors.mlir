// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-to-linalg -split-input-file -verify-diagnostics

func.func @param(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'hk.param' op is not converted to linalg: expects operations on activations only, with parameters and packed values as arguments}}
  %g = hk.param "g" : tensor<4xf32>
  %y = hk.rms_norm %x, %g : tensor<2x4xf32>, tensor<4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @pack(%g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'hk.pack.scale' op is not converted to linalg}}
  %y = hk.pack.scale %g by 2.0 : tensor<4xf32>
  return %y : tensor<4xf32>
}
