// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s

// Matrix products: how many fragments of B are loaded, and what multiplies them.

module @sm_80 attributes {hk.isa = "sm_80"} {
  // A fragment of 16 columns and 16 of K serves both slabs: four products. The
  // columns of one step in K follow each other.
  // CHECK-LABEL: llvm.func @slabs(
  // CHECK: nvvm.ldmatrix %{{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4
  // CHECK-COUNT-4: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32)
  // CHECK: llvm.getelementptr %{{.*}}[2048]
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK: arith.xori
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  tile.kernel @slabs(%x: memref<?x32xf16>, %y: memref<?x32xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<64x64xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x32xf16> -> !tile.frag<32x32xf16>
    %d = tile.mma %a, %s[%c0, %c0] : !tile.frag<32x32xf16>, !tile.buf<64x64xf16> -> !tile.frag<32x32xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<32x32xf32>, memref<?x32xf32>
    tile.return
  }

  // Across K, the other way round: rows of the buf are K.
  // CHECK-LABEL: llvm.func @transposed(
  // CHECK: nvvm.ldmatrix %{{.*}}layout = #nvvm.mma_layout<col>{{.*}}num = 4
  // CHECK-COUNT-2: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
  // CHECK-NOT: nvvm.mma.sync
  tile.kernel @transposed(%x: memref<?x16xbf16>, %y: memref<?x16xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<64x64xbf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xbf16> -> !tile.frag<16x16xbf16>
    %d = tile.mma %a, %s[%c0, %c0] {transpose_b} : !tile.frag<16x16xbf16>, !tile.buf<64x64xbf16> -> !tile.frag<16x16xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }

  // Three groups of columns, five of K. The third group is loaded for two steps
  // at once; the last step is one of 8, of which four groups fit a load.
  // CHECK-LABEL: llvm.func @odd(
  // CHECK: nvvm.ldmatrix {{.*}}num = 4
  // CHECK-COUNT-2: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix {{.*}}num = 4
  // CHECK: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix {{.*}}num = 4
  // CHECK-COUNT-3: nvvm.mma.sync
  // CHECK: nvvm.ldmatrix {{.*}}num = 2
  // CHECK-COUNT-2: nvvm.mma.sync {{.*}}k = 8
  // CHECK: nvvm.ldmatrix {{.*}}num = 1
  // CHECK: nvvm.mma.sync {{.*}}k = 8
  // CHECK-NOT: nvvm.mma.sync
  tile.kernel @odd(%x: memref<?x40xf16>, %y: memref<?x24xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<24x40xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x40xf16> -> !tile.frag<16x40xf16>
    %d = tile.mma %a, %s[%c0, %c0] : !tile.frag<16x40xf16>, !tile.buf<24x40xf16> -> !tile.frag<16x24xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x24xf32>, memref<?x24xf32>
    tile.return
  }

  // tf32: two of K beside each other, as A has them; the nearest tf32 of both.
  // CHECK-LABEL: llvm.func @tf32(
  // CHECK-COUNT-4: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK: llvm.load {{.*}} !llvm.ptr<3> -> vector<2xf32>
  // CHECK-COUNT-2: nvvm.convert.float.to.tf32
  // CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}k = 8
  // CHECK-NOT: nvvm.mma.sync
  tile.kernel @tf32(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<32x32xf32>
    %a = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %d = tile.mma %a, %s[%c0, %c0] : !tile.frag<16x8xf32>, !tile.buf<32x32xf32> -> !tile.frag<16x8xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }

  // What is the same in every trip of a loop is rounded in each.
  // CHECK-LABEL: llvm.func @tf32_loop(
  // CHECK: scf.for
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects {{.*}}"", "=f,0" %{{.*}} : (f32) -> f32
  // CHECK-NOT: inline_asm
  // CHECK: nvvm.mma.sync
  tile.kernel @tf32_loop(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %buf = tile.alloc {offset = 0 : i64} : !tile.buf<8x8xf32>
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !tile.frag<16x8xf32>
    %a = tile.load %x[%b, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %d = scf.for %i = %c0 to %b step %c1 iter_args(%c = %z) -> (!tile.frag<16x8xf32>) {
      %e = tile.mma %a, %buf[%c0, %c0], %c : !tile.frag<16x8xf32>, !tile.buf<8x8xf32>, !tile.frag<16x8xf32> -> !tile.frag<16x8xf32>
      scf.yield %e : !tile.frag<16x8xf32>
    }
    tile.store %d to %y[%b, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }

  // Three products; the rest of a number is what its tf32 leaves.
  // CHECK-LABEL: llvm.func @split(
  // CHECK: %[[HIGH:.*]] = nvvm.convert.float.to.tf32 %[[X:.*]] {
  // CHECK: %[[CLOSE:.*]] = llvm.bitcast %[[HIGH]] : i32 to f32
  // CHECK: %[[REST:.*]] = arith.subf %[[X]], %[[CLOSE]] : f32
  // CHECK: nvvm.convert.float.to.tf32 %[[REST]]
  // CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> f32
  // CHECK-COUNT-3: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  tile.kernel @split(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<32x32xf32>
    %a = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %d = tile.mma %a, %s[%c0, %c0] {split, transpose_b} : !tile.frag<16x8xf32>, !tile.buf<32x32xf32> -> !tile.frag<16x8xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }
}
