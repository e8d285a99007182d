// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-schedule-pipeline | FileCheck %s
// RUN: hk-opt %s -tile-schedule-pipeline | hk-opt | FileCheck %s

// The whole way from level V to level S.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME: producers = 1 : i64, shared = 65632 : i64, units = 4 : i64
// CHECK: %[[A:.*]] = tile.chan async {barriers = 65536 : i64, offset = 0 : i64} : <64x64xf16, 3>
// CHECK: %[[W:.*]] = tile.chan bulk {barriers = 65584 : i64, offset = 24576 : i64} : <64x64xf16, 3>
// CHECK: tile.role producer
// CHECK: tile.grid_wait
// CHECK-NEXT: scf.for
// CHECK: tile.acquire %[[A]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.commit %[[A]]
// CHECK-NEXT: tile.acquire %[[W]]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.commit %[[W]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tile.role consumer
// CHECK: scf.for {{.*}} iter_args
// CHECK-NEXT: tile.wait %[[A]]
// CHECK-NEXT: tile.fetch
// CHECK-NEXT: tile.release %[[A]]
// CHECK-NEXT: tile.wait %[[W]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[W]]
// CHECK-NEXT: scf.yield
// CHECK: tile.alloc {offset = 49152 : i64}
// CHECK-NEXT: tile.alloc {offset = 57344 : i64}
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.put
// CHECK-NEXT: tile.put
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.alloc {offset = 49152 : i64}
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.put
// CHECK-NEXT: tile.sync
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.grid_wait
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
module attributes {hk.isa = "sm_90a"} {
  tile.kernel @gemm(%x: memref<?x128xf16>, %w: !tile.tiles<64x64xf16>, %y: memref<?x64xf32>, %b: index) attributes {units = 4 : i64, hk.stages = 3 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %i = tile.item
    %r0 = arith.muli %i, %c64 : index
    %u = tile.unit
    %u16 = arith.muli %u, %c16 : index
    %row = arith.addi %r0, %u16 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    %d = scf.for %k = %c0 to %c2 step %c1 iter_args(%c = %z) -> (!tile.frag<16x64xf32>) {
      %k64 = arith.muli %k, %c64 : index
      %a = tile.stage %x[%r0, %k64] rows(%b) : memref<?x128xf16> -> !tile.buf<64x64xf16>
      %t = tile.stage %w[%k] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
      %f = tile.fetch %a[%u16, %c0] : !tile.buf<64x64xf16> -> !tile.frag<16x64xf16>
      %e = tile.mma %f, %t[%c0, %c0], %c : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
      scf.yield %e : !tile.frag<16x64xf32>
    }
    %h = tile.map %d : !tile.frag<16x64xf32> -> !tile.frag<16x64xf16> {
    ^bb0(%v: f32):
      %n = arith.truncf %v : f32 to f16
      tile.yield %n : f16
    }
    %p = tile.publish %h at(%u16, %c0) : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
    %q = tile.publish %h at(%u16, %c0) : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
    %o = tile.mma %h, %p[%c0, %c0], %d : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
    %o2 = tile.mma %h, %q[%c0, %c0], %o : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
    %p2 = tile.publish %h at(%u16, %c0) : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
    %o3 = tile.mma %h, %p2[%c0, %c0], %o2 : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
    tile.store %o3 to %y[%row, %c0] rows(%b) : !tile.frag<16x64xf32>, memref<?x64xf32>
    tile.return
  }

  // Each kernel has its own. One chunk that comes once has one slot.
  // CHECK-LABEL: tile.kernel @second(
  // CHECK-SAME: shared = 8208 : i64
  // CHECK-NEXT: tile.chan bulk {barriers = 8192 : i64, offset = 0 : i64} : <64x64xf16, 1>
  // CHECK-NEXT: tile.role producer
  tile.kernel @second(%w: !tile.tiles<64x64xf16>, %y: memref<?x64xf16>, %b: index) attributes {units = 4 : i64} {
    %t = tile.stage %w[%b] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
    %f = tile.fetch %t[%b, %b] : !tile.buf<64x64xf16> -> !tile.frag<16x64xf16>
    tile.store %f to %y[%b, %b] : !tile.frag<16x64xf16>, memref<?x64xf16>
    tile.return
  }
}
