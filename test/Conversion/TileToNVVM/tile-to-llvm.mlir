// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --pass-pipeline='builtin.module(builtin.module(hk-tile-to-llvm))' | FileCheck %s

// A module of kernels becomes the LLVM dialect with NVVM, its surroundings
// stay. An index is 32 bits wide.

// CHECK-LABEL: hk.packed @w
hk.packed @w : tensor<4xf32> {
  %w = hk.param "w" from f32 : tensor<4xf64>
  hk.yield %w : tensor<4xf64>
}

// CHECK-LABEL: module @sm_90a attributes {hk.isa = "sm_90a"}
module @sm_90a attributes {hk.isa = "sm_90a"} {
  // CHECK: llvm.func @sums(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[B:.*]]: i64)
  // CHECK-NOT: {{(scf|arith|memref|cf|math|builtin|tile)\.}}
  // CHECK: llvm.trunc %[[B]] : i64 to i32
  // CHECK: llvm.br ^[[LOOP:.*]](%{{.*}} : i32, f32
  // CHECK: ^[[LOOP]](%{{.*}}: i32, %{{.*}}: f32
  // CHECK: llvm.icmp "slt" %{{.*}} : i32
  tile.kernel @sums(%x: memref<?x128xf32>, %y: memref<?x64xf32>, %b: index)
      attributes {units = 1 : i64, hk.executable = @sums} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !tile.frag<2x64xf32, line>
    %sum = scf.for %j = %c0 to %c128 step %c64 iter_args(%a = %z)
        -> (!tile.frag<2x64xf32, line>) {
      %v = tile.load %x[%c0, %j] rows(%b)
          : memref<?x128xf32> -> !tile.frag<2x64xf32, line>
      %n = tile.map %a, %v : !tile.frag<2x64xf32, line>, !tile.frag<2x64xf32, line>
          -> !tile.frag<2x64xf32, line> {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        tile.yield %s : f32
      }
      scf.yield %n : !tile.frag<2x64xf32, line>
    }
    tile.store %sum to %y[%c0, %c0] rows(%b)
        : !tile.frag<2x64xf32, line>, memref<?x64xf32>
    tile.return
  }
}
