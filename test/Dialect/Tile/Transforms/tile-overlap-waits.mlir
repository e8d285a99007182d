// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-overlap-waits | FileCheck %s
// RUN: hk-opt %s -tile-overlap-waits -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!d = !tile.frag<16x64xf32>
!c = !tile.chan<64x64xf16, 4>
!two = !tile.chan<64x64xf16, 2>

// Two products a trip: the second slot is waited for while the first product
// runs, the first of the next trip while the second does.
// REMARK: [Passed] Overlap | Category:tile-overlap-waits | Function=trips | Remark="1 waits during products, and 1 for the next trip of a loop"
// CHECK-LABEL: tile.kernel @trips(
// CHECK:         scf.for
// CHECK-NEXT:      %[[K:.*]] = tile.wait %[[C:.*]] {ahead}
// CHECK-NEXT:      %[[S0:.*]] = tile.mma %{{.*}}, %[[K]]{{.*}} {async, warpgroup}
// CHECK-NEXT:      %[[V:.*]] = tile.wait %[[C]] :
// CHECK-NEXT:      %[[S:.*]] = tile.settle %[[S0]]
// CHECK-NEXT:      tile.release %[[C]]
// CHECK-NEXT:      %[[P:.*]] = tile.map %[[S]]
// CHECK:           %[[O0:.*]] = tile.mma %[[P]], %[[V]]{{.*}} {async, transpose_b, warpgroup}
// CHECK-NEXT:      tile.await %[[C]]
// CHECK-NEXT:      %[[O:.*]] = tile.settle %[[O0]]
// CHECK-NEXT:      tile.release %[[C]]
// CHECK-NEXT:      scf.yield %[[O]]
tile.kernel @trips(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan async : !c
  tile.role consumer {
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %q = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %z) -> (!d) {
      %k = tile.wait %c : !c -> !b
      %s = tile.mma %q, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
      tile.release %c : !c
      %p = tile.map %s : !d -> !a {
      ^bb0(%e: f32):
        %h = arith.truncf %e : f32 to f16
        tile.yield %h : f16
      }
      %v = tile.wait %c : !c -> !b
      %e = tile.mma %p, %v[%c0, %c0], %o {transpose_b, warpgroup} : !a, !b, !d -> !d
      tile.release %c : !c
      scf.yield %e : !d
    }
  }
  tile.return
}

// Not where the ring would be empty while a slot more is held; not past a barrier
// of the units; not for a loop of one trip; not behind products of warps.
// REMARK-NOT: Function=none
// CHECK-LABEL: tile.kernel @none(
// CHECK-NOT:     async,
// CHECK-NOT:     tile.settle
// CHECK-NOT:     tile.await
// CHECK:         tile.return
tile.kernel @none(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !c
  %w = tile.chan bulk : !two
  tile.role consumer {
    %q = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    scf.for %i = %c0 to %n step %c1 {
      %k = tile.wait %w : !two -> !b
      %l = tile.wait %w : !two -> !b
      %s = tile.mma %q, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
      %t = tile.mma %q, %l[%c0, %c0], %s {warpgroup} : !a, !b, !d -> !d
      tile.release %w : !two
      tile.release %w : !two
    }
    %0 = tile.wait %c : !c -> !b
    %1 = tile.mma %q, %0[%c0, %c0] {warpgroup} : !a, !b -> !d
    tile.release %c : !c
    tile.sync
    %2 = tile.wait %c : !c -> !b
    %3 = tile.mma %q, %2[%c0, %c0], %1 {warpgroup} : !a, !b, !d -> !d
    tile.release %c : !c
    scf.for %i = %c0 to %c1 step %c1 {
      %k = tile.wait %c : !c -> !b
      %s = tile.mma %q, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
      tile.release %c : !c
    }
    scf.for %i = %c0 to %n step %c1 {
      %k = tile.wait %c : !c -> !b
      %s = tile.mma %q, %k[%c0, %c0] : !a, !b -> !d
      tile.release %c : !c
    }
  }
  tile.return
}
