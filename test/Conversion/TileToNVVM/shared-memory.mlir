// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sed s/sm_90a/sm_80/g %s | hk-opt --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM80

// alloc, put, sync and fetch.

module @sm_90a attributes {hk.isa = "sm_90a"} {
  // CHECK: llvm.mlir.global external @hk_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

  // Blocks of 128 bytes: the lane is in row lane mod 16 and chunk lane / 16,
  // which is swizzled by row mod 8: computed once, for all bufs. A step of 16
  // columns is one XOR, one of 16 rows is a constant.
  // CHECK-LABEL: llvm.func @halves(
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
  // CHECK-DAG: %[[C15:.*]] = arith.constant 15 : i32
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
  // CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
  // CHECK-DAG: %[[C2048:.*]] = arith.constant 2048 : i32
  // CHECK-DAG: %[[GLOBAL:.*]] = llvm.mlir.addressof @hk_shared
  // CHECK: %[[BASE:.*]] = llvm.ptrtoint %[[GLOBAL]]
  // SM90: %[[ROW:.*]] = arith.andi %{{.*}}, %[[C15]]
  // SM90: %[[CHUNK:.*]] = arith.shrui %{{.*}}, %[[C4]]
  // SM90: %[[DOWN:.*]] = arith.muli %[[ROW]], %[[C128]]
  // SM90: %[[SWIZZLE:.*]] = arith.andi %[[ROW]], %[[C7]]
  // SM90: %[[AT:.*]] = arith.xori %{{.*}}, %[[SWIZZLE]]
  // SM90: %[[BYTES:.*]] = arith.muli %[[AT]], %[[C16]]
  // SM90: %[[LANE:.*]] = arith.addi %[[DOWN]], %[[BYTES]]
  // CHECK: %[[B:.*]] = arith.addi %[[BASE]], %[[C2048]]
  // SM90: %[[FIRST:.*]] = arith.addi %[[B]], %[[LANE]]
  // SM90: %[[P:.*]] = llvm.inttoptr %[[FIRST]] : i32 to !llvm.ptr<3>
  // SM90: nvvm.stmatrix %[[P]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {{.*}}b16
  // SM90: %[[NEXT:.*]] = arith.xori %[[FIRST]], %[[C32]]
  // SM90: llvm.inttoptr %[[NEXT]]
  // SM90: nvvm.stmatrix
  // SM90: %[[Q:.*]] = llvm.inttoptr %[[FIRST]]
  // SM90: %[[FAR:.*]] = llvm.getelementptr %[[Q]][2048]
  // SM90: nvvm.stmatrix %[[FAR]]
  // SM80-COUNT-16: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<3>
  // CHECK: llvm.inline_asm has_side_effects "bar.sync 1, 64;", "~{memory}"
  // CHECK-COUNT-4: nvvm.ldmatrix %{{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4
  // CHECK-NOT: nvvm.ldmatrix
  tile.kernel @halves(%x: memref<?x32xf16>, %b: index) attributes {units = 2 : i64} {
    %c0 = arith.constant 0 : index
    %f = tile.load %x[%c0, %c0] : memref<?x32xf16> -> !tile.frag<32x32xf16>
    %s = tile.alloc {offset = 2048 : i64} : !tile.buf<32x64xf16>
    tile.put %f to %s[%c0, %c0] : !tile.frag<32x32xf16>, !tile.buf<32x64xf16>
    tile.sync
    %g = tile.fetch %s[%c0, %c0] : !tile.buf<32x64xf16> -> !tile.frag<32x32xf16>
    tile.store %g to %x[%c0, %c0] : !tile.frag<32x32xf16>, memref<?x32xf16>
    tile.return
  }

  // Of f32, two columns of a row at a time.
  // CHECK-LABEL: llvm.func @singles(
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
  // CHECK: bar.sync
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
  tile.kernel @singles(%x: memref<?x16xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %f = tile.load %x[%c0, %c0] : memref<?x16xf32> -> !tile.frag<16x16xf32>
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<16x16xf32>
    tile.put %f to %s[%c0, %c0] : !tile.frag<16x16xf32>, !tile.buf<16x16xf32>
    tile.sync
    %g = tile.fetch %s[%c0, %c0] : !tile.buf<16x16xf32> -> !tile.frag<16x16xf32>
    tile.store %g to %x[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }

  // What is left of an odd number of 8 columns; a row of the program.
  // CHECK-LABEL: llvm.func @odd(
  // CHECK: nvvm.ldmatrix {{.*}}num = 4
  // CHECK: nvvm.ldmatrix {{.*}}num = 2
  tile.kernel @odd(%x: memref<?x24xbf16>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<64x24xbf16>
    %g = tile.fetch %s[%b, %c0] : !tile.buf<64x24xbf16> -> !tile.frag<16x24xbf16>
    tile.store %g to %x[%c0, %c0] : !tile.frag<16x24xbf16>, memref<?x24xbf16>
    tile.return
  }
}
