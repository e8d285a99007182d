// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = x w^T + b + r of a layer, by cuBLASLt; beside it code for the CPU that is
// written and not run.
hk.packed @w layers(0 to 2) : tensor<16x8xf16> {
^bb0(%l: index):
  %w = hk.param "layers.{}.w"[%l] from f32 : tensor<16x8xf64>
  hk.yield %w : tensor<16x8xf64>
}
hk.packed @b : tensor<16xf32> {
  %b = hk.param "b" from f32 : tensor<16xf64>
  hk.yield %b : tensor<16xf64>
}

hk.executable @product {
  hk.variant #hk.cpu<isa = "x86-64", rows = 4, mr = 4, nr = 8, keys = 4>
      grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x4x8xf16>, %r: tensor<?x4x16xf32>, %l: index):
    hk.yield %r : tensor<?x4x16xf32>
  }
  hk.variant #hk.cublaslt<operands = f16> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x4x8xf16>, %r: tensor<?x4x16xf32>, %l: index):
    %c = hk.cast %x : tensor<?x4x8xf16> to tensor<?x4x8xf32>
    %w = hk.packed.get @w[%l] : tensor<16x8xf16>
    %wide = hk.cast %w : tensor<16x8xf16> to tensor<16x8xf32>
    %b = hk.packed.get @b : tensor<16xf32>
    %y = hk.linear %c, %wide, %b : tensor<?x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>
    %z = hk.add %r, %y : tensor<?x4x16xf32>, tensor<?x4x16xf32>
    hk.yield %z : tensor<?x4x16xf32>
  }
}

func.func private @forward(tensor<?x4x8xf16>, tensor<?x4x16xf32>) -> tensor<?x4x16xf32>

hk.plan @forward.default of @forward rank(0) role(candidate)
    workspace(affine_map<()[B] -> (B * 0)>) {
^bb0(%x: tensor<?x4x8xf16>, %r: tensor<?x4x16xf32>):
  %y = hk.dispatch @product(%x, %r) layer(1) at([#hk.result<0>])
      : (tensor<?x4x8xf16>, tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  hk.yield %y : tensor<?x4x16xf32>
}

module @"x86-64" attributes {hk.isa = "x86-64"} {
  llvm.func @product(%args: !llvm.ptr, %first: i64, %last: i64)
      attributes {hk.executable = @product, hk.variant = 0 : i64,
                  hk.scratch = 0 : i64, hk.packed = [], hk.imports = []} {
    llvm.return
  }
}
