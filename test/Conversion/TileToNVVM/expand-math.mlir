// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-expand-math | FileCheck %s

// With afn, an instruction or two.
// CHECK-LABEL: tile.kernel @approximate
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
// CHECK: llvm.intr.minnum
// CHECK-COUNT-2: llvm.intr.fma
// CHECK: llvm.intr.tanh
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK-NOT: math.
// CHECK: tile.return
tile.kernel @approximate(%x: memref<?x8xf32>) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %v = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
  %m = tile.map %v : !tile.frag<16x8xf32> -> !tile.frag<16x8xf32> {
  ^bb0(%e: f32):
    %a = math.exp2 %e fastmath<afn> : f32
    %b = math.exp %a fastmath<afn> : f32
    %c = math.tanh %b fastmath<afn> : f32
    %d = math.erf %c fastmath<afn> : f32
    %f = math.rsqrt %d fastmath<afn> : f32
    %g = math.sqrt %f fastmath<afn> : f32
    %h = arith.divf %g, %f fastmath<afn> : f32
    %i = arith.divf %one, %h fastmath<afn> : f32
    tile.yield %i : f32
  }
  tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
  tile.return
}

// The factor of gelu is one of the coefficients.
// CHECK-LABEL: tile.kernel @gelu
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK: llvm.intr.minnum
// CHECK: %[[P:.*]] = llvm.intr.fma
// CHECK: %[[Q:.*]] = llvm.intr.fma(%[[P]]
// CHECK: %[[T:.*]] = arith.mulf %[[Q]], %[[X]]
// CHECK: llvm.intr.tanh(%[[T]])
tile.kernel @gelu(%x: memref<?x8xf32>) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %k = arith.constant 0.707106769 : f32
  %v = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
  %m = tile.map %v : !tile.frag<16x8xf32> -> !tile.frag<16x8xf32> {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %k : f32
    %d = math.erf %s fastmath<afn> : f32
    tile.yield %d : f32
  }
  tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
  tile.return
}

// Without, polynomials around the same instructions.
// CHECK-LABEL: tile.kernel @exact
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// CHECK-COUNT-3: llvm.intr.fma
// CHECK: llvm.intr.copysign
// CHECK: arith.select
// CHECK: llvm.intr.sqrt
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK-NOT: math.
// CHECK: tile.return
tile.kernel @exact(%x: memref<?x8xf32>) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
  %m = tile.map %v : !tile.frag<16x8xf32> -> !tile.frag<16x8xf32> {
  ^bb0(%e: f32):
    %b = math.exp %e : f32
    %c = math.tanh %b : f32
    %d = math.erf %c : f32
    %g = math.sqrt %d : f32
    %h = arith.divf %g, %d : f32
    tile.yield %h : f32
  }
  tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
  tile.return
}

// In f32 and back.
// CHECK-LABEL: tile.kernel @half
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// CHECK: arith.truncf {{.*}} : f32 to f16
tile.kernel @half(%x: memref<?x8xf16>) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : memref<?x8xf16> -> !tile.frag<16x8xf16>
  %m = tile.map %v : !tile.frag<16x8xf16> -> !tile.frag<16x8xf16> {
  ^bb0(%e: f16):
    %a = math.exp2 %e : f16
    tile.yield %a : f16
  }
  tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf16>, memref<?x8xf16>
  tile.return
}

// A function of the CPU is not its business.
// CHECK-LABEL: func.func @host
// CHECK: math.exp
func.func @host(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}
