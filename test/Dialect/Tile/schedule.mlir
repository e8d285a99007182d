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
