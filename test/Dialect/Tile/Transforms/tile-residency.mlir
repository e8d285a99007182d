// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-residency | FileCheck %s
// RUN: hk-opt %s -tile-residency -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = memref<?x256xf16>
!a = !tile.frag<16x64xf16>
!d = !tile.frag<16x64xf32>
!b = !tile.buf<64x64xf16>

module attributes {hk.isa = "sm_80"} {
  // REMARK: [Passed] Shared | Category:tile-residency | Function=gemm | Remark="A comes through shared memory, 64 rows of 64 columns"
  // CHECK-LABEL: tile.kernel @gemm(
  // CHECK-SAME: %[[X:.*]]: memref<?x256xf16>
  // CHECK: %[[CTA:.*]] = arith.muli
  // CHECK: %[[UNIT:.*]] = arith.muli
  tile.kernel @gemm(%x: !x, %w: !tile.tiles<64x64xf16>, %end: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %item = tile.item
    %cta = arith.muli %item, %c64 : index
    %u = tile.unit
    %u16 = arith.muli %c16, %u : index
    %row = arith.addi %u16, %cta : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    // CHECK: scf.for %[[K:[a-z0-9]+]] =
    %r = scf.for %k = %c0 to %c256 step %c64 iter_args(%c = %z) -> (!d) {
      // CHECK-NEXT: %[[S:.*]] = tile.stage %[[X]][%[[CTA]], %[[K]]] rows(%{{.*}}) columns(60) : memref<?x256xf16> -> <64x64xf16>
      // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
      // CHECK-NEXT: %[[A:.*]] = tile.fetch %[[S]][%[[UNIT]], %[[ZERO]]] : <64x64xf16> -> <16x64xf16>
      // CHECK-NOT: tile.load
      %a = tile.load %x[%row, %k] rows(%end) columns(60) : !x -> !a
      %b = tile.stage %w[%k] : !tile.tiles<64x64xf16> -> !b
      // CHECK: tile.slice %[[A]]
      %h = tile.slice %a[0] : !a -> !tile.frag<16x32xf16>
      %d = tile.mma %h, %b[%c0, %c0], %c : !tile.frag<16x32xf16>, !b, !d -> !d
      // CHECK: tile.mma %[[A]]
      %e = tile.mma %a, %b[%c0, %c0], %d : !a, !b, !d -> !d
      scf.yield %e : !d
    }
    tile.return
  }

  // 96 registers are too few for A, 34, and the sums, 64: each unit
  // writes its rows once, and reads a step in K at a time.
  // REMARK: [Passed] Published | Category:tile-residency | Function=held | Remark="A is read from shared memory, 16 of 136 columns at a time"
  // CHECK-LABEL: tile.kernel @held(
  // CHECK: %[[A:.*]] = tile.load
  // CHECK: %[[N:.*]] = tile.map %[[A]]
  // CHECK: %[[UNIT:.*]] = tile.unit
  // CHECK: %[[ROW:.*]] = arith.muli %[[UNIT]], %c16
  // CHECK: %[[BUF:.*]] = tile.publish %[[N]] at(%[[ROW]], %c0{{[_0-9]*}}) : <16x136xf16> -> <256x136xf16>
  tile.kernel @held(%x: memref<?x136xf32>, %w: memref<?x136xf16>, %end: index) attributes {units = 16 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !tile.frag<16x128xf32>
    %a = tile.load %x[%end, %c0] : memref<?x136xf32> -> !tile.frag<16x136xf32>
    %n = tile.map %a : !tile.frag<16x136xf32> -> !tile.frag<16x136xf16> {
    ^bb0(%e: f32):
      %h = arith.truncf %e : f32 to f16
      tile.yield %h : f16
    }
    // CHECK: scf.for
    // CHECK: %[[B:.*]] = tile.stage
    // CHECK: %[[A0:.*]] = tile.fetch %[[BUF]][%[[ROW]], %c0{{[_0-9]*}}] : <256x136xf16> -> <16x16xf16>
    // CHECK: %[[S0:.*]] = tile.mma %[[A0]], %[[B]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}], %{{.*}} : <16x16xf16>
    // CHECK: %[[A1:.*]] = tile.fetch %[[BUF]][%[[ROW]], %c16{{[_0-9]*}}]
    // CHECK: %[[S1:.*]] = tile.mma %[[A1]], %[[B]][%c0{{[_0-9]*}}, %c16{{[_0-9]*}}], %[[S0]]
    // CHECK: %[[A8:.*]] = tile.fetch %[[BUF]][%[[ROW]], %c128{{[_0-9]*}}] : <256x136xf16> -> <16x8xf16>
    // CHECK: %[[S8:.*]] = tile.mma %[[A8]], %[[B]][%c0{{[_0-9]*}}, %c128{{[_0-9]*}}]
    // CHECK: scf.yield %[[S8]]
    %r = scf.for %k = %c0 to %end step %c64 iter_args(%c = %z) -> (!tile.frag<16x128xf32>) {
      %b = tile.stage %w[%k, %c0] rows(%end) columns(136) : memref<?x136xf16> -> !tile.buf<128x136xf16>
      %d = tile.mma %n, %b[%c0, %c0], %c : !tile.frag<16x136xf16>, !tile.buf<128x136xf16>, !tile.frag<16x128xf32> -> !tile.frag<16x128xf32>
      scf.yield %d : !tile.frag<16x128xf32>
    }
    tile.return
  }
}
