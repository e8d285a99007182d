// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One product, of a size that multiprocessors can share out.
!x = tensor<4x128x128xf32>
func.func @forward(%x: !x) -> !x {
  %w = hk.param "w" : tensor<128x128xf32>
  %y = hk.linear %x, %w : !x, tensor<128x128xf32>
  return %y : !x
}
