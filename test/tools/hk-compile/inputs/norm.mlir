// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A norm, cut and planned, for the CPU and a GPU: what is left is the road from
// variants to code. Blocks of 64 rows of sequences of 100.
hk.executable @norm {
  hk.variant #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
                      block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
      grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x100x64xf32>):
    %y = hk.layer_norm %x : tensor<?x100x64xf32>
    hk.yield %y : tensor<?x100x64xf32>
  }
  hk.variant #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>
      grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x100x64xf32>):
    %y = hk.layer_norm %x : tensor<?x100x64xf32>
    hk.yield %y : tensor<?x100x64xf32>
  }
}
func.func private @forward(tensor<?x100x64xf32> {hk.name = "x"}) -> tensor<?x100x64xf32>
hk.plan @forward.default of @forward rank(0) role(candidate)
    workspace(affine_map<()[B] -> (0)>) {
^bb0(%x: tensor<?x100x64xf32>):
  %y = hk.dispatch @norm(%x) at([#hk.result<0>])
      : (tensor<?x100x64xf32>) -> tensor<?x100x64xf32>
  hk.yield %y : tensor<?x100x64xf32>
}
