// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear operation of 128 to 128 features and its GELU, on rows of 128.
!x = tensor<?x128x128xf32>
func.func @forward(%x: !x) -> !x {
  %w = hk.param "weight" : tensor<128x128xf32>
  %b = hk.param "bias" : tensor<128xf32>
  %f = hk.linear %x, %w, %b : !x, tensor<128x128xf32>, tensor<128xf32>
  %y = hk.activation gelu_erf %f : !x
  return %y : !x
}
