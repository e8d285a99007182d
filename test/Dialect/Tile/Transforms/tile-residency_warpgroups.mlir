// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-residency | FileCheck %s
// RUN: hk-opt %s -tile-residency -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

// A product of a warpgroup is waited for, so more of A is fetched for each: 64
// columns, and what is left of them.

!x = memref<?x136xf16>
!a = !tile.frag<16x136xf16>
!b = !tile.buf<128x136xf16>
!d = !tile.frag<16x128xf32>

module attributes {hk.isa = "sm_90a"} {
  // REMARK: Function=held | Remark="A is read from shared memory, 64 of 136 columns at a time"
  // CHECK-LABEL: tile.kernel @held(
  // CHECK: %[[BUF:.*]] = tile.publish
  // CHECK: scf.for
  // CHECK: %[[B:.*]] = tile.stage
  // CHECK: %[[A0:.*]] = tile.fetch %[[BUF]][%{{.*}}, %c0{{[_0-9]*}}] : <256x136xf16> -> <16x64xf16>
  // CHECK: %[[S0:.*]] = tile.mma %[[A0]], %[[B]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}], %{{.*}} : <16x64xf16>
  // CHECK: %[[A1:.*]] = tile.fetch %[[BUF]][%{{.*}}, %c64{{[_0-9]*}}] : <256x136xf16> -> <16x64xf16>
  // CHECK: %[[S1:.*]] = tile.mma %[[A1]], %[[B]][%c0{{[_0-9]*}}, %c64{{[_0-9]*}}], %[[S0]]
  // CHECK: %[[A2:.*]] = tile.fetch %[[BUF]][%{{.*}}, %c128{{[_0-9]*}}] : <256x136xf16> -> <16x8xf16>
  // CHECK: %[[S2:.*]] = tile.mma %[[A2]], %[[B]][%c0{{[_0-9]*}}, %c128{{[_0-9]*}}], %[[S1]]
  // CHECK: scf.yield %[[S2]]
  tile.kernel @held(%x: !x, %w: !x, %end: index) attributes {units = 16 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %a = tile.load %x[%end, %c0] : !x -> !a
    %n = tile.map %a : !a -> !a {
    ^bb0(%e: f16):
      %h = arith.addf %e, %e : f16
      tile.yield %h : f16
    }
    %r = scf.for %k = %c0 to %end step %c64 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k, %c0] rows(%end) columns(136) : !x -> !b
      %d = tile.mma %n, %b[%c0, %c0], %c : !a, !b, !d -> !d
      scf.yield %d : !d
    }
    tile.return
  }

  // 512 threads have 128 registers each. Producers give some of theirs away, so that
  // there is room for A.
  // REMARK: Function=roomy | Remark="expects loops that need more than 160 registers a thread, but got about
  // CHECK-LABEL: tile.kernel @roomy(
  // CHECK-NOT: tile.publish
  tile.kernel @roomy(%x: !x, %w: !x, %end: index) attributes {units = 12 : i64, hk.mma = "wgmma", hk.ctas = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %a = tile.load %x[%end, %c0] : !x -> !a
    %n = tile.map %a : !a -> !a {
    ^bb0(%e: f16):
      %h = arith.addf %e, %e : f16
      tile.yield %h : f16
    }
    %r = scf.for %k = %c0 to %end step %c64 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k, %c0] rows(%end) columns(136) : !x -> !b
      %d = tile.mma %n, %b[%c0, %c0], %c : !a, !b, !d -> !d
      scf.yield %d : !d
    }
    tile.return
  }

  // Rows as they are in memory come by the producers, for all units at once: they
  // are ahead, by a trip of the loop around.
  // REMARK: [Passed] Shared | {{.*}}Function=staged | Remark="A comes through shared memory, 64 rows of 136 columns"
  // CHECK-LABEL: tile.kernel @staged(
  // CHECK: %[[UNIT:.*]] = arith.muli
  // CHECK: scf.for
  // CHECK-NEXT: %[[Q:.*]] = tile.stage %arg0[%arg2, %c0{{[_0-9]*}}] : memref<?x136xf16> -> <64x136xf16>
  // CHECK: %[[A:.*]] = tile.fetch %[[Q]][%[[UNIT]], %c0{{[_0-9]*}}] : <64x136xf16> -> <16x136xf16>
  // CHECK-NOT: tile.load
  // CHECK: scf.for
  // CHECK: tile.mma %[[A]]
  tile.kernel @staged(%x: !x, %w: !x, %end: index) attributes {units = 4 : i64, hk.mma = "wgmma", hk.ctas = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %u = tile.unit
    %u16 = arith.muli %u, %c16 : index
    %row = arith.addi %end, %u16 : index
    scf.for %h = %c0 to %end step %c64 {
      %a = tile.load %x[%row, %c0] : !x -> !a
      %r = scf.for %k = %c0 to %end step %c64 iter_args(%c = %z) -> (!d) {
        %b = tile.stage %w[%k, %c0] rows(%end) columns(136) : !x -> !b
        %d = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !d -> !d
        scf.yield %d : !d
      }
    }
    tile.return
  }
}
