// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-place-grid-waits | FileCheck %s
// RUN: hk-opt %s -tile-place-grid-waits -tile-place-grid-waits | FileCheck %s

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!w = !tile.tiles<64x64xf16>

// Weights stream before the wait, and so do vectors that are packed; keys do
// not. The wait is in front of the loop that has the first of them.
// CHECK-LABEL: tile.kernel @roles(
tile.kernel @roles(%x: memref<?x64xf16>, %g: memref<64xf32> {tile.constant}, %y: memref<?x64xf32>, %t: !w, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %weights = tile.chan bulk : !c
  %keys = tile.chan async : !c
  // CHECK: tile.role producer
  tile.role producer {
    // CHECK: scf.for
    // CHECK: tile.copy %{{.*}} : !tile.tiles
    scf.for %i = %c0 to %c2 step %c1 {
      %s = tile.acquire %weights : !c -> !b
      tile.copy %t[%i] to %s : !w -> !b
      tile.commit %weights : !c
    }
    // CHECK: }
    // CHECK-NEXT: tile.grid_wait
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: scf.for
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %s = tile.acquire %keys : !c -> !b
        tile.copy %x[%j, %c0] to %s : memref<?x64xf16> -> !b
        tile.commit %keys : !c
      }
    }
  }
  // CHECK: tile.role consumer
  tile.role consumer {
    // CHECK-NOT: tile.grid_wait
    // CHECK: tile.load %{{.*}} : memref<64xf32>
    // CHECK: tile.wait
    %v = tile.load %g[%c0] : memref<64xf32> -> !tile.frag<1x64xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      %s = tile.wait %weights : !c -> !b
      tile.release %weights : !c
    }
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %s = tile.wait %keys : !c -> !b
        tile.release %keys : !c
      }
    }
    %zero = arith.constant 0.0 : f32
    %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    %u = tile.unit
    %p = arith.cmpi ult, %u, %n : index
    // Not within the condition: units that do not store wait as well.
    // CHECK: arith.cmpi
    // CHECK-NEXT: tile.grid_wait
    // CHECK-NEXT: scf.if
    scf.if %p {
      tile.store %f to %y[%n, %c0] : !tile.frag<16x64xf32>, memref<?x64xf32>
    }
    // CHECK-NOT: tile.grid_wait
  }
  // CHECK: tile.return
  tile.return
}

// A role without such an access waits at its end.
// CHECK-LABEL: tile.kernel @at_the_end(
tile.kernel @at_the_end(%y: memref<?x64xf32>, %t: !w, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  %weights = tile.chan bulk : !c
  // CHECK: tile.commit
  // CHECK-NEXT: tile.grid_wait
  // CHECK-NEXT: }
  tile.role producer {
    %s = tile.acquire %weights : !c -> !b
    tile.copy %t[%n] to %s : !w -> !b
    tile.commit %weights : !c
  }
  // CHECK: tile.release
  // CHECK-NEXT: tile.grid_wait
  // CHECK-NEXT: tile.store
  tile.role consumer {
    %zero = arith.constant 0.0 : f32
    %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    %s = tile.wait %weights : !c -> !b
    tile.release %weights : !c
    tile.store %f to %y[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  }
  tile.return
}

// Without roles.
// CHECK-LABEL: tile.kernel @rows(
// CHECK: tile.load %{{.*}} : memref<64xf32>
// CHECK-NEXT: tile.grid_wait
// CHECK-NEXT: tile.load %{{.*}} : memref<?x64xf32>
// CHECK-NOT: tile.grid_wait
tile.kernel @rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %g: memref<64xf32> {tile.constant}, %n: index) attributes {units = 4 : i64} {
  %v = tile.load %g[%n] : memref<64xf32> -> !tile.frag<1x64xf32, line>
  %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !tile.frag<8x64xf32, line>
  tile.store %f to %y[%n, %n] : !tile.frag<8x64xf32, line>, memref<?x64xf32>
  tile.return
}

// Mask, then the branch on what it says.
// CHECK-LABEL: tile.kernel @masked(
// CHECK: tile.grid_wait
// CHECK-NEXT: tile.extent
// CHECK-NOT: tile.grid_wait
tile.kernel @masked(%m: memref<?xi8>, %y: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
  %e = tile.extent %m[%n] of(%n) : memref<?xi8>
  %p = arith.cmpi ult, %e, %n : index
  scf.if %p {
    %zero = arith.constant 0.0 : f32
    %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
    tile.store %f to %y[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  }
  tile.return
}

// What all roles need, in front of them.
// CHECK-LABEL: tile.kernel @before_roles(
// CHECK-NEXT: tile.grid_wait
// CHECK-NEXT: memref.load
// CHECK-NOT: tile.grid_wait
tile.kernel @before_roles(%l: memref<?xi32>, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  %length = memref.load %l[%n] : memref<?xi32>
  tile.role producer {
  }
  tile.role consumer {
  }
  tile.return
}

// A role that some threads do not have.
// CHECK-LABEL: tile.kernel @some(
// CHECK-NEXT: tile.grid_wait
// CHECK-NEXT: tile.role consumer
// CHECK-NOT: tile.grid_wait
tile.kernel @some(%l: memref<?xi32>, %n: index) attributes {producers = 1 : i64, units = 4 : i64} {
  tile.role consumer {
    %length = memref.load %l[%n] : memref<?xi32>
  }
  tile.return
}

// Nothing at all.
// CHECK-LABEL: tile.kernel @nothing(
// CHECK-NEXT: tile.grid_wait
// CHECK-NEXT: tile.return
tile.kernel @nothing(%n: index) attributes {units = 4 : i64} {
  tile.return
}
