// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --tile-to-nvvm | FileCheck %s

// Within the lane, then across the quad that shares the row; two rows a lane.
// CHECK-LABEL: llvm.func @quad
// CHECK-COUNT-3: arith.addf
// CHECK: nvvm.shfl.sync bfly
// CHECK: arith.addf
// CHECK: nvvm.shfl.sync bfly
// CHECK-COUNT-4: arith.addf
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @quad(%x: memref<?x16xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%c0, %c0] : memref<?x16xf32> -> !tile.frag<16x16xf32>
    %m = tile.row_reduce add %s : !tile.frag<16x16xf32> -> !tile.frag<16x1xf32>
    tile.return
  }
}

// -----

// 14 columns in 4 lanes of four: what the fifteenth and sixteenth became does
// not count.
// CHECK-LABEL: llvm.func @line
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[NONE]] : f32
// CHECK: llvm.intr.maxnum
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync bfly
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @line(%x: memref<?x14xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%c0, %c0] : memref<?x14xf32> -> !tile.frag<8x14xf32, line>
    %m = tile.row_reduce max %s : !tile.frag<8x14xf32, line> -> !tile.frag<8x1xf32, line>
    tile.return
  }
}

// -----

// CHECK-LABEL: llvm.func @vote
// CHECK: %[[BOTH:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK: nvvm.vote.sync  any %{{.*}}, %[[BOTH]] -> i1
// CHECK: %[[EACH:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: nvvm.vote.sync  all %{{.*}}, %[[EACH]] -> i1
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @vote(%b: index) attributes {units = 1 : i64} {
    %i = tile.row_index %b : !tile.frag<16x1xi32>
    %p = tile.map %i : !tile.frag<16x1xi32> -> !tile.frag<16x1xi1> {
    ^bb0(%n: i32):
      %c9 = arith.constant 9 : i32
      %s = arith.cmpi slt, %n, %c9 : i32
      tile.yield %s : i1
    }
    %any = tile.vote any %p : !tile.frag<16x1xi1>
    %all = tile.vote all %p : !tile.frag<16x1xi1>
    tile.return
  }
}
