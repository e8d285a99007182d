// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer norm of rows of 1024, in f32: with a batch of 512, 256 MiB each way.
!x = tensor<?x128x1024xf32>
func.func @forward(%x: !x) -> !x {
  %y = hk.layer_norm %x : !x
  return %y : !x
}
