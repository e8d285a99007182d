// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed values of every kind, for a kernel that does nothing.
!x = tensor<?x2x4xf32>
hk.packed @w : tensor<12x4xf32> {
  %a = hk.param "a" from f32 : tensor<8x4xf64>
  %z = hk.pack.zeros : tensor<4x4xf64>
  %c = hk.pack.concat %a, %z dim 0 : tensor<8x4xf64>, tensor<4x4xf64> -> tensor<12x4xf64>
  %g = hk.param "g" from bf16 : tensor<4xf64>
  %value = hk.pack.scale_dim %c, %g dim 1 : tensor<12x4xf64>, tensor<4xf64>
  hk.yield %value : tensor<12x4xf64>
}
hk.packed @w.p8 : tensor<12x4xf32, #hk.panels<8>> {
  %w = hk.packed.get @w : tensor<12x4xf32>
  %p = hk.pack.layout %w : tensor<12x4xf32> -> tensor<12x4xf32, #hk.panels<8>>
  hk.yield %p : tensor<12x4xf32, #hk.panels<8>>
}
hk.packed @b : tensor<12xf32> {
  %w = hk.param "m" from f32 : tensor<12x4xf64>
  %g = hk.param "g" from bf16 : tensor<4xf64>
  %m = hk.pack.matvec %w, %g : tensor<12x4xf64>, tensor<4xf64> -> tensor<12xf64>
  %b = hk.param "b" from f64 : tensor<12xf64>
  %r = hk.pack.add %m, %b : tensor<12xf64>
  hk.yield %r : tensor<12xf64>
}
hk.executable @nothing {
  hk.variant #hk.cpu<isa = "x86-64", rows = 4, mr = 4, nr = 8, keys = 4>
      grid(affine_map<()[B] -> ((B * 3 + 1) ceildiv 2)>) {
  ^bb0(%x: !x):
    hk.yield %x : !x
  }
}
func.func private @forward(!x) -> !x
hk.plan @forward.default of @forward rank(0) role(candidate)
    workspace(affine_map<()[B] -> (0)>) {
^bb0(%x: !x):
  %y = hk.dispatch @nothing(%x) at([#hk.result<0>]) : (!x) -> !x
  hk.yield %y : !x
}
module @"x86-64" attributes {hk.isa = "x86-64"} {
  func.func @nothing(%args: !llvm.ptr, %first: i64, %last: i64)
      attributes {hk.executable = @nothing, hk.variant = 0 : i64,
                  hk.packed = [@w.p8, @b]} {
    return
  }
}
