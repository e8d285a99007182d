// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = 2 x + b with b a packed parameter, already cut, planned and lowered:
// what is left is code generation and the module file.
hk.packed @b layers(0 to 2) : tensor<16xf32> {
^bb0(%l: index):
  %b = hk.param "layers.{}.b"[%l] from f16 : tensor<16xf64>
  %s = hk.pack.scale %b by 0.5 : tensor<16xf64>
  hk.yield %s : tensor<16xf64>
}
hk.packed @unused : tensor<16xf32> {
  %b = hk.param "unused" from f32 : tensor<16xf64>
  hk.yield %b : tensor<16xf64>
}

hk.executable @twice {
  hk.variant #hk.cpu<isa = "x86-64", rows = 4, mr = 4, nr = 8, keys = 4>
      grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x4x16xf32>, %l: index):
    %b = hk.packed.get @b[%l] : tensor<16xf32>
    %y = hk.add %x, %x : tensor<?x4x16xf32>, tensor<?x4x16xf32>
    hk.yield %y : tensor<?x4x16xf32>
  }
}

func.func private @forward(tensor<?x4x16xf32> {hk.name = "x"}) -> tensor<?x4x16xf32>

hk.plan @forward.default of @forward rank(0) role(candidate)
    workspace(affine_map<()[B] -> (B * 256)>) {
^bb0(%x: tensor<?x4x16xf32>):
  %t = hk.dispatch @twice(%x) layer(0) at([#hk.workspace<0>])
      : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %y = hk.dispatch @twice(%t) layer(1) at([#hk.result<0>])
      : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  hk.yield %y : tensor<?x4x16xf32>
}

module @"x86-64" attributes {hk.isa = "x86-64"} {
  func.func @twice(%args: !llvm.ptr, %first: i64, %last: i64)
      attributes {hk.executable = @twice, hk.variant = 0 : i64,
                  hk.scratch = 128 : i64, hk.packed = [@b], hk.imports = []} {
    %c1 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : index
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %packed.address = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %packed = llvm.load %packed.address : !llvm.ptr -> !llvm.ptr
    %bias = llvm.load %packed : !llvm.ptr -> !llvm.ptr
    %b = llvm.load %bias : !llvm.ptr -> vector<16xf32>
    %in = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %out.address = llvm.getelementptr %buffers[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %out = llvm.load %out.address : !llvm.ptr -> !llvm.ptr
    scf.for %w = %first to %last step %c1 : i64 {
      %x.address = llvm.getelementptr %in[%w, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x array<16 x f32>>
      %y.address = llvm.getelementptr %out[%w, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x array<16 x f32>>
      scf.for %i = %c0 to %c4 step %one {
        %row = arith.index_cast %i : index to i64
        %p = llvm.getelementptr %x.address[%row, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f32>
        %q = llvm.getelementptr %y.address[%row, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f32>
        %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
        %two = arith.constant dense<2.0> : vector<16xf32>
        %t = arith.mulf %x, %two : vector<16xf32>
        %y = arith.addf %t, %b : vector<16xf32>
        llvm.store %y, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      }
    }
    return
  }
}
