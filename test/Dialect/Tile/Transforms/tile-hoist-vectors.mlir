// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-hoist-vectors | FileCheck %s
// RUN: hk-opt %s -tile-hoist-vectors -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-1: [Passed] Hoisted | Category:tile-hoist-vectors | Function=steps | Remark="1 loads in front of the products that they are read behind"
// REMARK-NOT: Hoisted

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!d = !tile.frag<16x64xf32>
!v = !tile.frag<1x64xf32>
!w = !tile.tiles<64x64xf16>
!x = memref<?x128xf16>
!y = memref<?x64xf32>
!p = memref<64xf32>

module attributes {hk.isa = "sm_90a"} {
  // In front of both steps of the product, and of what the first one waits for.
  // CHECK-LABEL: tile.kernel @steps(
  // CHECK: tile.load %{{.*}} : memref<?x128xf16>
  // CHECK-NEXT: %[[V:.*]] = tile.load %{{.*}} : memref<64xf32>
  // CHECK-NEXT: tile.stage
  // CHECK-NEXT: tile.mma
  // CHECK-NEXT: tile.load %{{.*}} : memref<?x128xf16>
  // CHECK-NEXT: tile.stage
  // CHECK-NEXT: tile.mma
  // CHECK-NEXT: tile.map %{{.*}}, %[[V]]
  tile.kernel @steps(%x: !x, %w: !w, %p: !p {tile.constant}, %y: !y) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %u = tile.unit
    %a0 = tile.load %x[%u, %c0] : !x -> !a
    %b0 = tile.stage %w[%c0] : !w -> !b
    %d0 = tile.mma %a0, %b0[%c0, %c0] : !a, !b -> !d
    %a1 = tile.load %x[%u, %c64] : !x -> !a
    %b1 = tile.stage %w[%c1] : !w -> !b
    %d1 = tile.mma %a1, %b1[%c0, %c0], %d0 : !a, !b, !d -> !d
    %v = tile.load %p[%c0] : !p -> !v
    %r = tile.map %d1, %v : !d, !v -> !d {
    ^bb0(%s: f32, %t: f32):
      %z = arith.addf %s, %t : f32
      tile.yield %z : f32
    }
    tile.store %r to %y[%u, %c0] : !d, !y
    tile.return
  }

  // Not where the index comes later, memory may change, or a loop lies between.
  // CHECK-LABEL: tile.kernel @obstacles(
  // CHECK: tile.mma
  // CHECK: arith.addi
  // CHECK-NEXT: tile.load %{{.*}} : memref<?xf32>
  // CHECK: tile.mma
  // CHECK-NEXT: tile.load %{{.*}} : memref<64xf32>
  // CHECK: scf.for
  // CHECK: tile.mma
  // CHECK: }
  // CHECK-NEXT: tile.load %{{.*}} : memref<64xf32>
  tile.kernel @obstacles(%x: !x, %w: !w, %p: !p {tile.constant}, %q: memref<?xf32> {tile.constant}, %o: !p, %y: !y) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %u = tile.unit
    %a = tile.load %x[%u, %c0] : !x -> !a
    %b0 = tile.stage %w[%c0] : !w -> !b
    %d0 = tile.mma %a, %b0[%c0, %c0] : !a, !b -> !d
    %later = arith.addi %u, %c1 : index
    %v0 = tile.load %q[%later] : memref<?xf32> -> !v
    %b1 = tile.stage %w[%c1] : !w -> !b
    %d1 = tile.mma %a, %b1[%c0, %c0] : !a, !b -> !d
    %v1 = tile.load %o[%c0] : !p -> !v
    %d2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%c = %d1) -> !d {
      %b2 = tile.stage %w[%i] : !w -> !b
      %d = tile.mma %a, %b2[%c0, %c0], %c : !a, !b, !d -> !d
      scf.yield %d : !d
    }
    %v2 = tile.load %p[%c0] : !p -> !v
    %r = tile.map %d0, %d2, %v0, %v1, %v2 : !d, !d, !v, !v, !v -> !d {
    ^bb0(%s: f32, %t: f32, %e: f32, %f: f32, %g: f32):
      %z0 = arith.addf %s, %t : f32
      %z1 = arith.addf %z0, %e : f32
      %z2 = arith.addf %z1, %f : f32
      %z3 = arith.addf %z2, %g : f32
      tile.yield %z3 : f32
    }
    tile.store %r to %y[%u, %c0] : !d, !y
    tile.return
  }

  // Nor where registers are few: sums of 240 columns, 120 of a thread, and A of 64
  // leave none of those that a thread of 16 warps can have.
  // CHECK-LABEL: tile.kernel @registers(
  // CHECK: tile.mma
  // CHECK-NEXT: tile.load %{{.*}} : memref<240xf32>
  tile.kernel @registers(%x: !x, %w: !tile.tiles<240x64xf16>, %p: memref<240xf32> {tile.constant}, %y: memref<?x240xf32>) attributes {units = 12 : i64} {
    %c0 = arith.constant 0 : index
    %u = tile.unit
    %a = tile.load %x[%u, %c0] : !x -> !a
    %b = tile.stage %w[%c0] : !tile.tiles<240x64xf16> -> !tile.buf<240x64xf16>
    %d = tile.mma %a, %b[%c0, %c0] : !a, !tile.buf<240x64xf16> -> !tile.frag<16x240xf32>
    %v = tile.load %p[%c0] : memref<240xf32> -> !tile.frag<1x240xf32>
    %r = tile.map %d, %v : !tile.frag<16x240xf32>, !tile.frag<1x240xf32> -> !tile.frag<16x240xf32> {
    ^bb0(%s: f32, %t: f32):
      %z = arith.addf %s, %t : f32
      tile.yield %z : f32
    }
    tile.store %r to %y[%u, %c0] : !tile.frag<16x240xf32>, memref<?x240xf32>
    tile.return
  }
}
