// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear operation of 1024 to 1024 features, in f16: with a batch of 64, M = 8192.
!x = tensor<?x128x1024xf16>
!y = tensor<?x128x1024xf16>
func.func @forward(%x: !x) -> !y {
  %w = hk.param "weight" : tensor<1024x1024xf16>
  %b = hk.param "bias" : tensor<1024xf16>
  %y = hk.linear %x, %w, %b : !x, tensor<1024x1024xf16>, tensor<1024xf16>
  return %y : !y
}
