// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s

// Products of a warpgroup: pieces of PTX, and the descriptors of B. The low word
// of one is where B begins and the leading distance, the high word the stride
// and the swizzle (1, 2, 3 for 128, 64, 32 bytes), all in units of 16 bytes.

module @sm_90a attributes {hk.isa = "sm_90a"} {
  // In each piece: the fence of what threads wrote, since the buf comes from no
  // channel, and of the registers; a descriptor each step of K. Eight rows are 1024
  // bytes, the second block of columns is 4096 bytes on, and a step 32. The sums
  // begin with zeros: the first step does not add.
  // CHECK-LABEL: llvm.func @rows_of_128_bytes(
  // CHECK: %[[START:.*]] = arith.shrui %{{.*}}, %c4_i32
  // CHECK: %[[LOW:.*]] = arith.andi %[[START]], %c16383_i32
  // CHECK: %[[LEADING:.*]] = arith.addi %[[LOW]], %c65536_i32
  // CHECK: mov.b32 h, 1073741888; fence.proxy.async.shared::cta; wgmma.fence.sync.aligned; add.s32 l, $12, 256; mov.b64 m, {l, h}; wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16 {$0, {{.*}} $11}, {$13, $14, $15, $16}, m, q, 1, 1, 0; add.s32 l, $12, 258; {{.*}}, {$17, $18, $19, $20}, m, p, 1, 1, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }", "=f,{{.*}}=f,r,r,r,r,r,r,r,r,r,~{memory}" %[[LEADING]],
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @rows_of_128_bytes(%x: memref<?x32xf16>, %y: memref<?x24xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 8 : index
    %column = arith.constant 64 : index
    %s = tile.alloc {offset = 1024 : i64} : !tile.buf<32x128xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x32xf16> -> !tile.frag<16x32xf16>
    %d = tile.mma %a, %s[%row, %column] {warpgroup} : !tile.frag<16x32xf16>, !tile.buf<32x128xf16> -> !tile.frag<16x24xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x24xf32>, memref<?x24xf32>
    tile.return
  }

  // With C, all steps add; the results begin as it.
  // CHECK-LABEL: llvm.func @rows_of_64_bytes(
  // CHECK: mov.b32 h, 2147483680; {{.*}}add.s32 l, $8, 2; {{.*}}m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$9, $10, $11, $12}, m, p, 1, 1, 0; wgmma.commit{{.*}}"=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,~{memory}"
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @rows_of_64_bytes(%x: memref<?x16xf16>, %y: memref<?x8xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 16 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<8x32xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %c = tile.load %y[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %d = tile.mma %a, %s[%row, %column], %c {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<8x32xf16>, !tile.frag<16x8xf32> -> !tile.frag<16x8xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }

  // CHECK-LABEL: llvm.func @rows_of_32_bytes(
  // CHECK: mov.b32 h, 3221225488; {{.*}}add.s32 l, $4, 0;{{.*}}m, q, 1, 1, 0;
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @rows_of_32_bytes(%x: memref<?x16xf16>, %y: memref<?x8xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<8x16xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %d = tile.mma %a, %s[%row, %column] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<8x16xf16> -> !tile.frag<16x8xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }

  // Without a swizzle, columns of 8 are 256 bytes apart, and groups of rows 128.
  // CHECK-LABEL: llvm.func @rows_of_16_bytes(
  // CHECK: arith.addi %{{.*}}, %c1048576_i32
  // CHECK: mov.b32 h, 8; {{.*}}add.s32 l, $8, 16;
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @rows_of_16_bytes(%x: memref<?x16xf16>, %y: memref<?x16xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 8 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<16x40xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %d = tile.mma %a, %s[%row, %column] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<16x40xf16> -> !tile.frag<16x16xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }

  // Across K: blocks of N are 48 rows of 128 bytes apart, steps of K 16 rows.
  // CHECK-LABEL: llvm.func @transposed(
  // CHECK: arith.addi %{{.*}}, %c25165824_i32
  // CHECK: mov.b32 h, 1073741888; {{.*}}add.s32 l, $36, 0; {{.*}}m64n72k16.f32.bf16.bf16 {{.*}}, m, q, 1, 1, 1; add.s32 l, $36, 128; {{.*}}, m, p, 1, 1, 1;
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @transposed(%x: memref<?x32xbf16>, %y: memref<?x72xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 16 : index
    %column = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<48x128xbf16>
    %a = tile.load %x[%c0, %c0] : memref<?x32xbf16> -> !tile.frag<16x32xbf16>
    %d = tile.mma %a, %s[%row, %column] {transpose_b, warpgroup} : !tile.frag<16x32xbf16>, !tile.buf<48x128xbf16> -> !tile.frag<16x72xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x72xf32>, memref<?x72xf32>
    tile.return
  }

  // Column 8 of the second block.
  // CHECK-LABEL: llvm.func @transposed_within(
  // CHECK: mov.b32 h, 1073741888; {{.*}}add.s32 l, $12, 129;
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @transposed_within(%x: memref<?x16xf16>, %y: memref<?x24xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 72 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<16x128xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %d = tile.mma %a, %s[%row, %column] {transpose_b, warpgroup} : !tile.frag<16x16xf16>, !tile.buf<16x128xf16> -> !tile.frag<16x24xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x24xf32>, memref<?x24xf32>
    tile.return
  }

  // The two distances change places.
  // CHECK-LABEL: llvm.func @transposed_16_bytes(
  // CHECK: arith.addi %{{.*}}, %c524288_i32
  // CHECK: mov.b32 h, 16; {{.*}}add.s32 l, $8, 16; {{.*}}, m, q, 1, 1, 1;
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @transposed_16_bytes(%x: memref<?x16xf16>, %y: memref<?x16xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 8 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<16x40xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %d = tile.mma %a, %s[%row, %column] {transpose_b, warpgroup} : !tile.frag<16x16xf16>, !tile.buf<16x40xf16> -> !tile.frag<16x16xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }

  // 256 columns an instruction, and 128 sums a piece of PTX. The rest of N is 256
  // rows of 32 bytes on.
  // CHECK-LABEL: llvm.func @many_columns(
  // CHECK: add.s32 l, $128, 0; {{.*}}m64n256k16{{.*}}wait_group
  // CHECK: add.s32 l, $4, 512; {{.*}}m64n8k16{{.*}}wait_group
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @many_columns(%x: memref<?x16xf16>, %y: memref<?x264xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<264x16xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
    %d = tile.mma %a, %s[%row, %column] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<264x16xf16> -> !tile.frag<16x264xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x264xf32>, memref<?x264xf32>
    tile.return
  }

  // Both slabs in one piece, with an A each.
  // CHECK-LABEL: llvm.func @two_slabs(
  // CHECK: m64n64k16.f32.f16.f16 {$0, {{.*}}$31}, {$129, $130, $131, $132}, m, p, 1, 1, 0; add.s32 l, $128, 0; {{.*}}m64n64k16.f32.f16.f16 {$32, {{.*}}$63}, {$133, $134, $135, $136}, m, p, 1, 1, 0; wgmma.commit
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @two_slabs(%x: memref<?x16xf16>, %y: memref<?x64xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<64x16xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<32x16xf16>
    %c = tile.load %y[%c0, %c0] : memref<?x64xf32> -> !tile.frag<32x64xf32>
    %d = tile.mma %a, %s[%row, %column], %c {warpgroup} : !tile.frag<32x16xf16>, !tile.buf<64x16xf16>, !tile.frag<32x64xf32> -> !tile.frag<32x64xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<32x64xf32>, memref<?x64xf32>
    tile.return
  }

  // 2 x 96 sums are too many for one.
  // CHECK-LABEL: llvm.func @two_pieces(
  // CHECK: wgmma.mma_async{{.*}}m64n192k16{{.*}}wait_group
  // CHECK: wgmma.mma_async{{.*}}m64n192k16{{.*}}wait_group
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @two_pieces(%x: memref<?x16xf16>, %y: memref<?x192xf32>, %b: index) attributes {units = 4 : i64, shared = 65536 : i64} {
    %c0 = arith.constant 0 : index
    %row = arith.constant 0 : index
    %column = arith.constant 0 : index
    %s = tile.alloc {offset = 0 : i64} : !tile.buf<192x16xf16>
    %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<32x16xf16>
    %d = tile.mma %a, %s[%row, %column] {warpgroup} : !tile.frag<32x16xf16>, !tile.buf<192x16xf16> -> !tile.frag<32x192xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<32x192xf32>, memref<?x192xf32>
    tile.return
  }

  // 56 registers a thread as the kernel starts (three CTAs of 384 threads), of which
  // ptxas wants 30 beside the sums of an instruction: 48 columns at once.
  // CHECK-LABEL: llvm.func @few_registers(
  // CHECK: add.s32 l, ${{[0-9]+}}, 0; {{.*}}m64n48k16{{.*}}add.s32 l, ${{[0-9]+}}, 96; {{.*}}m64n24k16{{.*}}wgmma.commit
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @few_registers(%x: memref<?x16xf16>, %y: memref<?x72xf32>, %b: index) attributes {units = 8 : i64, producers = 4 : i64, shared = 65536 : i64, hk.ctas = 3 : i64} {
    %c0 = arith.constant 0 : index
    tile.role consumer {
      %s = tile.alloc {offset = 0 : i64} : !tile.buf<72x16xf16>
      %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
      %d = tile.mma %a, %s[%c0, %c0] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<72x16xf16> -> !tile.frag<16x72xf32>
      tile.store %d to %y[%c0, %c0] : !tile.frag<16x72xf32>, memref<?x72xf32>
    }
    tile.return
  }

  // Across K, the rest of a block of 64 columns comes before the next block, 2048
  // bytes on.
  // CHECK-LABEL: llvm.func @few_registers_transposed(
  // CHECK: add.s32 l, ${{[0-9]+}}, 0; {{.*}}m64n48k16{{.*}}add.s32 l, ${{[0-9]+}}, 6; {{.*}}m64n16k16{{.*}}add.s32 l, ${{[0-9]+}}, 128; {{.*}}m64n8k16{{.*}}wgmma.commit
  // CHECK-NOT: inline_asm{{.*}}wgmma
  tile.kernel @few_registers_transposed(%x: memref<?x16xf16>, %y: memref<?x72xf32>, %b: index) attributes {units = 8 : i64, producers = 4 : i64, shared = 65536 : i64, hk.ctas = 3 : i64} {
    %c0 = arith.constant 0 : index
    tile.role consumer {
      %s = tile.alloc {offset = 0 : i64} : !tile.buf<16x128xf16>
      %a = tile.load %x[%c0, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
      %d = tile.mma %a, %s[%c0, %c0] {transpose_b, warpgroup} : !tile.frag<16x16xf16>, !tile.buf<16x128xf16> -> !tile.frag<16x72xf32>
      tile.store %d to %y[%c0, %c0] : !tile.frag<16x72xf32>, memref<?x72xf32>
    }
    tile.return
  }
}
