// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-pack-tape | FileCheck %s
// RUN: hk-opt %s -split-input-file -tile-pack-tape -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!a = !tile.frag<16x64xf16>

// Weights are one stream, though one is smaller; keys and values are another.
// REMARK: [Analysis] Stream | Category:tile-pack-tape | Function=one_tape | Remark="stream 0: 2 chunks in the text of the kernel, 12288 bytes, in slots of 8192 bytes"
// REMARK: [Analysis] Stream | Category:tile-pack-tape | Function=one_tape | Remark="stream 1: 2 chunks in the text of the kernel, 16384 bytes, in slots of 8192 bytes"
// CHECK-LABEL: tile.kernel @one_tape(
tile.kernel @one_tape(%w: !tile.tiles<64x64xf16>, %v: !tile.tiles<32x64xf16>, %x: memref<?x64xf16>, %i: index) attributes {units = 4 : i64} {
  // CHECK: tile.stage {{.*}} {tile.stream = 0 : i64} : !tile.tiles<64x64xf16>
  %0 = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  %f = tile.fetch %0[%i, %i] : !tile.buf<64x64xf16> -> !a
  // CHECK: tile.stage {{.*}} {tile.stream = 0 : i64} : !tile.tiles<32x64xf16>
  %1 = tile.stage %v[%i] : !tile.tiles<32x64xf16> -> !tile.buf<32x64xf16>
  %g = tile.fetch %1[%i, %i] : !tile.buf<32x64xf16> -> !a
  // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64} : memref
  // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64} : memref
  %2 = tile.stage %x[%i, %i] : memref<?x64xf16> -> !tile.buf<64x64xf16>
  %3 = tile.stage %x[%i, %i] : memref<?x64xf16> -> !tile.buf<64x64xf16>
  %h = tile.fetch %2[%i, %i] : !tile.buf<64x64xf16> -> !a
  %k = tile.fetch %3[%i, %i] : !tile.buf<64x64xf16> -> !a
  tile.return
}

// -----

!a = !tile.frag<16x64xf16>

// One large chunk among small ones would leave most of the slots empty.
// CHECK-LABEL: tile.kernel @by_size(
tile.kernel @by_size(%w: !tile.tiles<256x64xf16>, %v: !tile.tiles<16x64xf16>, %i: index) attributes {units = 4 : i64} {
  // CHECK: tile.stage {{.*}} {tile.stream = 0 : i64} : !tile.tiles<256x64xf16>
  %0 = tile.stage %w[%i] : !tile.tiles<256x64xf16> -> !tile.buf<256x64xf16>
  %f = tile.fetch %0[%i, %i] : !tile.buf<256x64xf16> -> !a
  // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64} : !tile.tiles<16x64xf16>
  %1 = tile.stage %v[%i] : !tile.tiles<16x64xf16> -> !tile.buf<16x64xf16>
  %g = tile.fetch %1[%i, %i] : !tile.buf<16x64xf16> -> !a
  // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64} : !tile.tiles<16x64xf16>
  %2 = tile.stage %v[%i] : !tile.tiles<16x64xf16> -> !tile.buf<16x64xf16>
  %h = tile.fetch %2[%i, %i] : !tile.buf<16x64xf16> -> !a
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>

// A chunk that outlives a loop with chunks of its own is of another stream.
// CHECK-LABEL: tile.kernel @span(
tile.kernel @span(%w: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.stage {{.*}} {tile.stream = 0 : i64}
  %0 = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
  scf.for %j = %c0 to %i step %c1 {
    // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64}
    %1 = tile.stage %w[%j] : !tile.tiles<64x64xf16> -> !b
    %g = tile.fetch %1[%c0, %c0] : !b -> !a
  }
  %f = tile.fetch %0[%c0, %c0] : !b -> !a
  // CHECK: tile.stage {{.*}} {tile.stream = 1 : i64}
  %2 = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
  %h = tile.fetch %2[%c0, %c0] : !b -> !a
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!d = !tile.frag<16x64xf32>

// What units read by themselves is released by all of them, behind a fence; what
// wgmma alone reads is not, and has slots of its own though they are as large.
// CHECK-LABEL: tile.kernel @readers(
tile.kernel @readers(%q: memref<?x64xf16>, %k: memref<?x64xf16>, %i: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.stage %arg0{{.*}} {tile.stream = 0 : i64}
  %0 = tile.stage %q[%i, %c0] : memref<?x64xf16> -> !b
  %f = tile.fetch %0[%i, %c0] : !b -> !a
  scf.for %j = %c0 to %i step %c1 {
    // CHECK: tile.stage %arg1{{.*}} {tile.stream = 1 : i64}
    %1 = tile.stage %k[%j, %c0] : memref<?x64xf16> -> !b
    %s = tile.mma %f, %1[%c0, %c0] {warpgroup} : !a, !b -> !d
  }
  tile.return
}
