// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear operation of 1024 to 3072 features, in f16: with a batch of 64, M = 8192.
!x = tensor<?x128x1024xf16>
!y = tensor<?x128x3072xf16>
func.func @forward(%x: !x) -> !y {
  %w = hk.param "weight" : tensor<3072x1024xf16>
  %b = hk.param "bias" : tensor<3072xf16>
  %y = hk.linear %x, %w, %b : !x, tensor<3072x1024xf16>, tensor<3072xf16>
  return %y : !y
}
