// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm | FileCheck %s

// The kernel as a function: its ABI, what the module file needs, and the
// coordinates of a CTA and a unit.

module @sm_80 attributes {hk.isa = "sm_80"} {
  // CHECK-NOT: llvm.mlir.global
  // CHECK: llvm.func @copy(%[[X:.*]]: !llvm.ptr<1>, %[[W:.*]]: !llvm.ptr<1>, %[[B:.*]]: i64)
  // CHECK-SAME: hk.cluster = 1 : i64
  // CHECK-SAME: hk.executable = @copy
  // CHECK-SAME: hk.packed = [@w]
  // CHECK-SAME: hk.shared = 4096 : i64
  // CHECK-NOT: hk.stages
  // CHECK-SAME: hk.threads = 96 : i64
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 96>
  // CHECK-DAG: arith.index_cast %[[B]] : i64 to index
  // CHECK-DAG: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[WARP:.*]] = arith.shrui %[[TID]]
  // CHECK: %[[UNIFORM:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WARP]]
  // CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK: %[[ITEM:.*]] = arith.index_cast %[[CTA]] : i32 to index
  // CHECK: %[[UNIT:.*]] = arith.index_cast %[[UNIFORM]] : i32 to index
  // CHECK: arith.addi %[[ITEM]], %[[UNIT]] : index
  // CHECK: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x : i32
  // CHECK: arith.index_cast %[[CTAS]] : i32 to index
  // CHECK: llvm.return
  tile.kernel @copy(%x: memref<?x64xf32>, %w: !tile.tiles<64x64xf16>, %b: index)
      attributes {units = 2 : i64, producers = 1 : i64, shared = 4096 : i64,
                  hk.executable = @copy, hk.variant = 1 : i64,
                  hk.packed = [@w], hk.stages = 3 : i64} {
    %item = tile.item
    %unit = tile.unit
    %row0 = arith.addi %item, %unit : index
    %ctas = tile.ctas
    %row1 = arith.addi %row0, %ctas : index
    %row = arith.addi %row1, %b : index
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%row, %c0] : memref<?x64xf32> -> !tile.frag<16x64xf32>
    tile.return
  }
}
