// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers, small enough to compile in an instant.
!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>
func.func @forward(%x: !x {hk.name = "tokens"}) -> !x {
  %g0 = hk.param "layers.0.norm.weight" : !v
  %w0 = hk.param "layers.0.ffn.weight" : !w
  %n0 = hk.layer_norm %x, %g0 : !x, !v
  %f0 = hk.linear %n0, %w0 : !x, !w
  %a0 = hk.activation relu %f0 : !x
  %y0 = hk.add %x, %a0 : !x, !x
  %g1 = hk.param "layers.1.norm.weight" : !v
  %w1 = hk.param "layers.1.ffn.weight" : !w
  %n1 = hk.layer_norm %y0, %g1 : !x, !v
  %f1 = hk.linear %n1, %w1 : !x, !w
  %a1 = hk.activation relu %f1 : !x
  %y1 = hk.add %y0, %a1 : !x, !x
  return %y1 : !x
}
