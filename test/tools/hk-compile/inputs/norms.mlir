// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two norms, one after the other, of rows that a mask marks: the rows of the
// second are what the first wrote, the mask is an input of both.
#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
              block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#blocks = affine_map<()[B] -> (B * 2)>
hk.executable @norm {
  hk.variant #s grid(#blocks) {
  ^bb0(%x: tensor<?x100x64xf32>, %m: tensor<?x100xi1>):
    %y = hk.layer_norm %x : tensor<?x100x64xf32>
    %z = hk.mask_rows %y key_mask(%m) : tensor<?x100x64xf32>, tensor<?x100xi1>
    hk.yield %z : tensor<?x100x64xf32>
  }
}
func.func private @forward(tensor<?x100x64xf32> {hk.name = "x"}, tensor<?x100xi1> {hk.name = "m"}) -> tensor<?x100x64xf32>
hk.plan @forward.default of @forward rank(0) role(safe)
    workspace(affine_map<()[B] -> (B * 25600)>) {
^bb0(%x: tensor<?x100x64xf32>, %m: tensor<?x100xi1>):
  %t = hk.dispatch @norm(%x, %m) at([#hk.workspace<0>])
      : (tensor<?x100x64xf32>, tensor<?x100xi1>) -> tensor<?x100x64xf32>
  %y = hk.dispatch @norm(%t, %m) at([#hk.result<0>])
      : (tensor<?x100x64xf32>, tensor<?x100xi1>) -> tensor<?x100x64xf32>
  hk.yield %y : tensor<?x100x64xf32>
}
