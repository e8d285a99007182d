// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = 2 x + b with b a packed parameter of a layer, for the CPU and for two
// GPUs, in the LLVM dialect: what is left is code generation and the module
// file. A CTA of 64 threads computes 8 rows of 8 columns; two CTAs share a run
// of 8 rows, which may begin in one sequence and end in another.
hk.packed @b layers(0 to 2) : tensor<16xf32> {
^bb0(%l: index):
  %b = hk.param "layers.{}.b"[%l] from f16 : tensor<16xf64>
  %s = hk.pack.scale %b by 0.5 : tensor<16xf64>
  hk.yield %s : tensor<16xf64>
}

hk.executable @twice {
  hk.variant #hk.cpu<isa = "x86-64", rows = 4, mr = 4, nr = 8, keys = 4>
      grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x4x16xf32>, %l: index):
    %b = hk.packed.get @b[%l] : tensor<16xf32>
    %y = hk.add %x, %x : tensor<?x4x16xf32>, tensor<?x4x16xf32>
    hk.yield %y : tensor<?x4x16xf32>
  }
  hk.variant #hk.cuda<arch = "sm_80", rows = 8, units = 2, columns = 8, heads = 0,
                      block = 8, depth = 8, keys = 8, stages = 1, operands = f16>
      grid(affine_map<()[B] -> (((B * 4) ceildiv 8) * 2)>)
      attributes {hk.predicted_us = 2.5 : f64} {
  ^bb0(%x: tensor<?x4x16xf32>, %l: index):
    %b = hk.packed.get @b[%l] : tensor<16xf32>
    %y = hk.add %x, %x : tensor<?x4x16xf32>, tensor<?x4x16xf32>
    hk.yield %y : tensor<?x4x16xf32>
  }
  hk.variant #hk.cuda<arch = "sm_90a", rows = 8, units = 2, columns = 8, heads = 0,
                      block = 8, depth = 8, keys = 8, stages = 1, operands = f16>
      grid(affine_map<()[B] -> (((B * 4) ceildiv 8) * 2)>) {
  ^bb0(%x: tensor<?x4x16xf32>, %l: index):
    %b = hk.packed.get @b[%l] : tensor<16xf32>
    %y = hk.add %x, %x : tensor<?x4x16xf32>, tensor<?x4x16xf32>
    hk.yield %y : tensor<?x4x16xf32>
  }
}

func.func private @forward(tensor<?x4x16xf32> {hk.name = "x"}) -> tensor<?x4x16xf32>

hk.plan @forward.default of @forward rank(0) role(candidate)
    workspace(affine_map<()[B] -> (B * 256)>)
    attributes {hk.predicted_us = 5.0 : f64, hk.predicted_batch = 64 : i64} {
^bb0(%x: tensor<?x4x16xf32>):
  %t = hk.dispatch @twice(%x) layer(0) at([#hk.workspace<0>])
      : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %y = hk.dispatch @twice(%t) layer(1) at([#hk.result<0>])
      : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  hk.yield %y : tensor<?x4x16xf32>
}

module @"x86-64" attributes {hk.isa = "x86-64"} {
  llvm.func @twice(%args: !llvm.ptr, %first: i64, %last: i64)
      attributes {hk.executable = @twice, hk.variant = 0 : i64,
                  hk.scratch = 0 : i64, hk.packed = [@b], hk.imports = []} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %two = llvm.mlir.constant(dense<2.0> : vector<16xf32>) : vector<16xf32>
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %packed.address = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %packed = llvm.load %packed.address : !llvm.ptr -> !llvm.ptr
    %bias = llvm.load %packed : !llvm.ptr -> !llvm.ptr
    %b = llvm.load %bias {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %in = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %out.address = llvm.getelementptr %buffers[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %out = llvm.load %out.address : !llvm.ptr -> !llvm.ptr
    %begin = llvm.mul %first, %four : i64
    %end = llvm.mul %last, %four : i64
    llvm.br ^test(%begin : i64)
  ^test(%row: i64):
    %more = llvm.icmp "slt" %row, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %p = llvm.getelementptr %in[%row, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f32>
    %q = llvm.getelementptr %out[%row, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f32>
    %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %t = llvm.fmul %x, %two : vector<16xf32>
    %y = llvm.fadd %t, %b : vector<16xf32>
    llvm.store %y, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
    %next = llvm.add %row, %one : i64
    llvm.br ^test(%next : i64)
  ^done:
    llvm.return
  }
}

module @"sm_80" attributes {hk.isa = "sm_80"} {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

  llvm.func @twice.1(%in: !llvm.ptr, %out: !llvm.ptr, %bias: !llvm.ptr, %batch: i64)
      attributes {nvvm.kernel, hk.executable = @twice, hk.variant = 1 : i64, hk.packed = [@b],
                  hk.threads = 64 : i64, hk.cluster = 1 : i64, hk.shared = 256 : i64} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %seven = llvm.mlir.constant(7 : i32) : i32
    %four = llvm.mlir.constant(4 : i64) : i64
    %two = llvm.mlir.constant(2.0 : f32) : f32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    // The row, over the whole batch, and the column.
    %run = llvm.lshr %cta, %one : i32
    %first = llvm.shl %run, %three : i32
    %slot = llvm.lshr %tid, %three : i32
    %row = llvm.add %first, %slot : i32
    %half = llvm.and %cta, %one : i32
    %column.first = llvm.shl %half, %three : i32
    %lane = llvm.and %tid, %seven : i32
    %column = llvm.add %column.first, %lane : i32
    // The bias goes through shared memory, a copy a thread.
    %b.address = llvm.getelementptr %bias[%column] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %b.loaded = llvm.load %b.address : !llvm.ptr -> f32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %own = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %b.loaded, %own : f32, !llvm.ptr<3>
    nvvm.barrier
    %b = llvm.load %own : !llvm.ptr<3> -> f32
    %rows = llvm.mul %batch, %four : i64
    %row.wide = llvm.zext %row : i32 to i64
    %inside = llvm.icmp "slt" %row.wide, %rows : i64
    llvm.cond_br %inside, ^compute, ^done
  ^compute:
    %p = llvm.getelementptr %in[%row.wide, %column] : (!llvm.ptr, i64, i32) -> !llvm.ptr, !llvm.array<16 x f32>
    %q = llvm.getelementptr %out[%row.wide, %column] : (!llvm.ptr, i64, i32) -> !llvm.ptr, !llvm.array<16 x f32>
    %x = llvm.load %p : !llvm.ptr -> f32
    %t = llvm.fmul %x, %two : f32
    %y = llvm.fadd %t, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    llvm.store %y, %q : f32, !llvm.ptr
    llvm.br ^done
  ^done:
    llvm.return
  }
}

module @"sm_90a" attributes {hk.isa = "sm_90a"} {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

  llvm.func @twice.2(%in: !llvm.ptr, %out: !llvm.ptr, %bias: !llvm.ptr, %batch: i64)
      attributes {nvvm.kernel, hk.executable = @twice, hk.variant = 2 : i64, hk.packed = [@b],
                  hk.threads = 64 : i64, hk.cluster = 1 : i64, hk.shared = 256 : i64, hk.min_ctas = 2 : i64} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %seven = llvm.mlir.constant(7 : i32) : i32
    %four = llvm.mlir.constant(4 : i64) : i64
    %two = llvm.mlir.constant(2.0 : f32) : f32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    // The row, over the whole batch, and the column.
    %run = llvm.lshr %cta, %one : i32
    %first = llvm.shl %run, %three : i32
    %slot = llvm.lshr %tid, %three : i32
    %row = llvm.add %first, %slot : i32
    %half = llvm.and %cta, %one : i32
    %column.first = llvm.shl %half, %three : i32
    %lane = llvm.and %tid, %seven : i32
    %column = llvm.add %column.first, %lane : i32
    // The bias goes through shared memory, a copy a thread.
    %b.address = llvm.getelementptr %bias[%column] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %b.loaded = llvm.load %b.address : !llvm.ptr -> f32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %own = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %b.loaded, %own : f32, !llvm.ptr<3>
    nvvm.barrier
    %b = llvm.load %own : !llvm.ptr<3> -> f32
    %rows = llvm.mul %batch, %four : i64
    %row.wide = llvm.zext %row : i32 to i64
    %inside = llvm.icmp "slt" %row.wide, %rows : i64
    llvm.cond_br %inside, ^compute, ^done
  ^compute:
    %p = llvm.getelementptr %in[%row.wide, %column] : (!llvm.ptr, i64, i32) -> !llvm.ptr, !llvm.array<16 x f32>
    %q = llvm.getelementptr %out[%row.wide, %column] : (!llvm.ptr, i64, i32) -> !llvm.ptr, !llvm.array<16 x f32>
    %x = llvm.load %p : !llvm.ptr -> f32
    %t = llvm.fmul %x, %two : f32
    %y = llvm.fadd %t, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
    llvm.store %y, %q : f32, !llvm.ptr
    llvm.br ^done
  ^done:
    llvm.return
  }
}
