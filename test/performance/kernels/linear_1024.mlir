// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear operation of 1024 to 1024 features and its GELU, on rows of 128.
!x = tensor<?x128x1024xf32>
func.func @forward(%x: !x) -> !x {
  %w = hk.param "weight" : tensor<1024x1024xf32>
  %b = hk.param "bias" : tensor<1024xf32>
  %f = hk.linear %x, %w, %b : !x, tensor<1024x1024xf32>, tensor<1024xf32>
  %y = hk.activation gelu_erf %f : !x
  return %y : !x
}
