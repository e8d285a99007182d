// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two batches: the check refuses it.
func.func @forward(%x: tensor<?x8x16xf32>, %y: tensor<2x8x16xf32>)
    -> (tensor<?x8x16xf32>, tensor<2x8x16xf32>) {
  %a = hk.activation relu %x : tensor<?x8x16xf32>
  %b = hk.activation relu %y : tensor<2x8x16xf32>
  return %a, %b : tensor<?x8x16xf32>, tensor<2x8x16xf32>
}
