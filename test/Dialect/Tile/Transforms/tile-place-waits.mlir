// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-place-waits | FileCheck %s

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!a = !tile.frag<16x64xf16>

// CHECK-LABEL: tile.kernel @place(
tile.kernel @place(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[C:.*]] = tile.chan bulk
  // CHECK: %[[D:.*]] = tile.chan async
  %c = tile.chan bulk : !c
  %d = tile.chan async : !c
  tile.role consumer {
    // A wait goes to its first use, a release to the last.
    // CHECK: tile.role consumer
    // CHECK-NEXT: tile.load
    // CHECK-NEXT: %[[K:.*]] = tile.wait %[[C]]
    // CHECK-NEXT: tile.fetch %[[K]]
    // CHECK-NEXT: tile.fetch %[[K]]
    // CHECK-NEXT: tile.release %[[C]]
    // CHECK-NEXT: tile.store
    %k = tile.wait %c : !c -> !b
    %h = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    %f = tile.fetch %k[%c0, %c0] : !b -> !a
    %g = tile.fetch %k[%c0, %c0] : !b -> !a
    tile.store %h to %x[%n, %c0] : !a, memref<?x64xf16>
    tile.release %c : !c

    // But past no other wait, and past nothing that has one inside.
    // CHECK-NEXT: %[[V:.*]] = tile.wait %[[C]]
    // CHECK-NEXT: %[[W:.*]] = tile.wait %[[D]]
    // CHECK-NEXT: tile.fetch %[[W]]
    // CHECK-NEXT: tile.release %[[D]]
    // CHECK-NEXT: tile.fetch %[[V]]
    // CHECK-NEXT: tile.release %[[C]]
    %v = tile.wait %c : !c -> !b
    %w = tile.wait %d : !c -> !b
    %i = tile.fetch %w[%c0, %c0] : !b -> !a
    %j = tile.fetch %v[%c0, %c0] : !b -> !a
    tile.release %c : !c
    tile.release %d : !c

    // CHECK-NEXT: %[[Y:.*]] = tile.wait %[[D]]
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: tile.wait %[[C]]
    // CHECK-NEXT: tile.release %[[C]]
    // CHECK-NEXT: }
    // CHECK-NEXT: tile.fetch %[[Y]]
    // CHECK-NEXT: tile.release %[[D]]
    %y = tile.wait %d : !c -> !b
    scf.for %l = %c0 to %n step %c1 {
      %z = tile.wait %c : !c -> !b
      tile.release %c : !c
    }
    %m = tile.fetch %y[%c0, %c0] : !b -> !a
    tile.release %d : !c

    // Two slots of one channel: the second is not released before the first.
    // CHECK-NEXT: %[[P:.*]] = tile.wait %[[C]]
    // CHECK-NEXT: %[[Q:.*]] = tile.wait %[[C]]
    // CHECK-NEXT: tile.fetch %[[Q]]
    // CHECK-NEXT: tile.fetch %[[P]]
    // CHECK-NEXT: tile.release %[[C]]
    // CHECK-NEXT: tile.release %[[C]]
    // CHECK-NEXT: tile.load
    %p = tile.wait %c : !c -> !b
    %q = tile.wait %c : !c -> !b
    %r = tile.fetch %q[%c0, %c0] : !b -> !a
    %s = tile.fetch %p[%c0, %c0] : !b -> !a
    %t = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    tile.release %c : !c
    tile.release %c : !c
  }
  tile.return
}

!d = !tile.frag<16x64xf32>

// wgmma needs a fence behind the wait for what threads copied. Two waits of a
// channel share one, so the second comes up to the first; a third begins anew.
// CHECK-LABEL: tile.kernel @fences(
// CHECK: %[[C:.*]] = tile.chan async
// CHECK: tile.role consumer
// CHECK-NEXT: tile.load
// CHECK-NEXT: %[[K:.*]] = tile.wait %[[C]]
// CHECK-NEXT: %[[V:.*]] = tile.wait %[[C]]
// CHECK-NEXT: tile.mma %{{.*}}, %[[K]]
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.mma %{{.*}}, %[[V]]
// CHECK-NEXT: tile.release
// CHECK-NEXT: %[[L:.*]] = tile.wait %[[C]]
// CHECK-NEXT: tile.mma %{{.*}}, %[[L]]
tile.kernel @fences(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan async : !c
  tile.role consumer {
    %a = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    %k = tile.wait %c : !c -> !b
    %r = tile.mma %a, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
    tile.release %c : !c
    %v = tile.wait %c : !c -> !b
    %s = tile.mma %a, %v[%c0, %c0], %r {warpgroup} : !a, !b, !d -> !d
    tile.release %c : !c
    %l = tile.wait %c : !c -> !b
    %t = tile.mma %a, %l[%c0, %c0], %s {warpgroup} : !a, !b, !d -> !d
    tile.release %c : !c
  }
  tile.return
}

// Not those of bulk copies, of products of a warp, or with a loop in between
// that waits itself.
// CHECK-LABEL: tile.kernel @no_fences(
// CHECK: %[[C:.*]] = tile.chan bulk
// CHECK: %[[D:.*]] = tile.chan async
// CHECK: tile.role consumer
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.wait %[[C]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.wait %[[C]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.wait %[[D]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release
// CHECK-NEXT: tile.wait %[[D]]
// CHECK-NEXT: tile.mma {{.*}} {warpgroup}
// CHECK-NEXT: tile.release
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.wait %[[D]]
// CHECK: }
// CHECK-NEXT: tile.wait %[[D]]
tile.kernel @no_fences(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !c
  %d = tile.chan async : !c
  tile.role consumer {
    %a = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    %k = tile.wait %c : !c -> !b
    %q = tile.mma %a, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
    tile.release %c : !c
    %v = tile.wait %c : !c -> !b
    %r = tile.mma %a, %v[%c0, %c0], %q {warpgroup} : !a, !b, !d -> !d
    tile.release %c : !c
    %l = tile.wait %d : !c -> !b
    %s = tile.mma %a, %l[%c0, %c0], %r : !a, !b, !d -> !d
    tile.release %d : !c
    %m = tile.wait %d : !c -> !b
    %t = tile.mma %a, %m[%c0, %c0], %s {warpgroup} : !a, !b, !d -> !d
    tile.release %d : !c
    scf.for %i = %c0 to %n step %c1 {
      %w = tile.wait %d : !c -> !b
      tile.release %d : !c
    }
    %o = tile.wait %d : !c -> !b
    %u = tile.mma %a, %o[%c0, %c0], %t {warpgroup} : !a, !b, !d -> !d
    tile.release %d : !c
  }
  tile.return
}

// Nor past a wait of another channel: the producer might have to copy more for
// that one than its ring holds, and both would wait for ever.
// CHECK-LABEL: tile.kernel @order(
// CHECK: %[[C:.*]] = tile.chan async
// CHECK: %[[D:.*]] = tile.chan bulk
// CHECK: tile.role consumer
// CHECK: tile.wait %[[C]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[C]]
// CHECK-NEXT: tile.wait %[[D]]
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.release %[[D]]
// CHECK-NEXT: tile.wait %[[C]]
tile.kernel @order(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan async : !c
  %d = tile.chan bulk : !c
  tile.role consumer {
    %a = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    %k = tile.wait %c : !c -> !b
    %r = tile.mma %a, %k[%c0, %c0] {warpgroup} : !a, !b -> !d
    tile.release %c : !c
    %w = tile.wait %d : !c -> !b
    %s = tile.mma %a, %w[%c0, %c0], %r {warpgroup} : !a, !b, !d -> !d
    tile.release %d : !c
    %v = tile.wait %c : !c -> !b
    %t = tile.mma %a, %v[%c0, %c0], %s {warpgroup} : !a, !b, !d -> !d
    tile.release %c : !c
  }
  tile.return
}
