// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @schedule(
tile.kernel @schedule(%x: memref<?x64xf16>, %t: !tile.tiles<64x64xf16>, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[W:.*]] = tile.chan bulk : <64x64xf16, 3>
  %w = tile.chan bulk : !tile.chan<64x64xf16, 3>
  // CHECK: %[[X:.*]] = tile.chan async {barriers = 49152 : i64, offset = 24576 : i64} : <64x64xf16, 2>
  %a = tile.chan async {offset = 24576 : i64, barriers = 49152 : i64} : !tile.chan<64x64xf16, 2>
  // CHECK: tile.role producer {
  tile.role producer {
    // CHECK: %[[S:.*]] = tile.acquire %[[W]] : <64x64xf16, 3> -> <64x64xf16>
    %s = tile.acquire %w : !tile.chan<64x64xf16, 3> -> !tile.buf<64x64xf16>
    // CHECK: tile.copy %{{.*}}[%{{.*}}] to %[[S]] : !tile.tiles<64x64xf16> -> <64x64xf16>
    tile.copy %t[%n] to %s : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
    // CHECK: tile.commit %[[W]] : <64x64xf16, 3>
    tile.commit %w : !tile.chan<64x64xf16, 3>
    // A slot may hold less than it could.
    // CHECK: %[[R:.*]] = tile.acquire %[[X]] : <64x64xf16, 2> -> <64x32xf16>
    %r = tile.acquire %a : !tile.chan<64x64xf16, 2> -> !tile.buf<64x32xf16>
    // CHECK: tile.copy %{{.*}}[%{{.*}}, %{{.*}}] rows(%{{.*}}) columns(24) to %[[R]] : memref<?x64xf16> -> <64x32xf16>
    tile.copy %x[%n, %c0] rows(%n) columns(24) to %r : memref<?x64xf16> -> !tile.buf<64x32xf16>
    tile.commit %a : !tile.chan<64x64xf16, 2>
  }
  // CHECK: tile.role consumer {
  tile.role consumer {
    // CHECK: tile.wait %[[W]] : <64x64xf16, 3> -> <64x64xf16>
    %b = tile.wait %w : !tile.chan<64x64xf16, 3> -> !tile.buf<64x64xf16>
    // CHECK: tile.wait %[[X]] : <64x64xf16, 2> -> <64x32xf16>
    %f = tile.wait %a : !tile.chan<64x64xf16, 2> -> !tile.buf<64x32xf16>
    // CHECK: tile.release %[[W]] : <64x64xf16, 3>
    tile.release %w : !tile.chan<64x64xf16, 3>
    tile.release %a : !tile.chan<64x64xf16, 2>
    %z = arith.constant 0.0 : f16
    %v = tile.splat %z : f16 -> !tile.frag<16x64xf16>
    // CHECK: %[[P:.*]] = tile.alloc : <64x64xf16>
    %p = tile.alloc : !tile.buf<64x64xf16>
    // CHECK: tile.sync
    tile.sync
    // CHECK: tile.put %{{.*}} to %[[P]][%{{.*}}, %{{.*}}] : <16x64xf16>, <64x64xf16>
    tile.put %v to %p[%c0, %c0] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>
  }
  tile.return
}

// Each role waits once for the kernels in front, before what they may write;
// constants are read earlier.
// CHECK-LABEL: tile.kernel @grid_waits(
// CHECK-SAME: %{{.*}}: memref<64xf32> {tile.constant}
tile.kernel @grid_waits(%x: memref<?x64xf16>, %g: memref<64xf32> {tile.constant}, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  %a = tile.chan async : !tile.chan<64x64xf16, 2>
  tile.role producer {
    %s = tile.acquire %a : !tile.chan<64x64xf16, 2> -> !tile.buf<64x64xf16>
    // CHECK: tile.grid_wait
    tile.grid_wait
    tile.copy %x[%n, %n] to %s : memref<?x64xf16> -> !tile.buf<64x64xf16>
    tile.commit %a : !tile.chan<64x64xf16, 2>
  }
  tile.role consumer {
    %f = tile.wait %a : !tile.chan<64x64xf16, 2> -> !tile.buf<64x64xf16>
    %v = tile.load %g[%n] : memref<64xf32> -> !tile.frag<1x64xf32>
    tile.release %a : !tile.chan<64x64xf16, 2>
    // CHECK: tile.release
    // CHECK-NEXT: tile.grid_wait
    tile.grid_wait
  }
  tile.return
}

// All threads at once, before the roles or without any.
// CHECK-LABEL: tile.kernel @grid_wait_of_all(
tile.kernel @grid_wait_of_all(%l: memref<?xi32>, %y: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
  // CHECK: tile.grid_wait
  // CHECK-NEXT: memref.load
  tile.grid_wait
  %length = memref.load %l[%n] : memref<?xi32>
  tile.role consumer {
    %zero = arith.constant 0.0 : f32
    %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    tile.store %f to %y[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  }
  tile.return
}
