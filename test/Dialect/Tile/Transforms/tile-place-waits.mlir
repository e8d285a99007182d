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
