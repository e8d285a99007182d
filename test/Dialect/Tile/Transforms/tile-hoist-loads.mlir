// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-hoist-loads | FileCheck %s
// RUN: hk-opt %s -tile-hoist-loads=registers=16 | FileCheck %s --check-prefix=FEW
// RUN: hk-opt %s -tile-hoist-loads -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Hoisted | Category:tile-hoist-loads | Function=steps | Remark="3 loads in front of the products before theirs"

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!d = !tile.frag<16x64xf32>
!w = !tile.tiles<64x64xf16>
!x = memref<?x256xf16>
!y = memref<?x64xf32>

// A step over K takes 16 registers of a thread, so that two are on their way: the
// third goes behind the first product, the fourth behind the second. C stays.
// CHECK-LABEL: tile.kernel @steps(
// CHECK: %[[C:.*]] = tile.load %{{.*}} : memref<?x64xf32>
// CHECK-NEXT: %[[A0:.*]] = tile.load
// CHECK-NEXT: %[[A1:.*]] = tile.load
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.mma %[[A0]]
// CHECK-NEXT: %[[A2:.*]] = tile.load
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.mma %[[A1]]
// CHECK-NEXT: %[[A3:.*]] = tile.load
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.mma %[[A2]]
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.mma %[[A3]]

// With one of them nothing changes.
// FEW-LABEL: tile.kernel @steps(
// FEW: tile.load
// FEW-NEXT: tile.load
// FEW-NEXT: tile.stage
// FEW-NEXT: tile.mma
// FEW-NEXT: tile.load
// FEW-NEXT: tile.stage
tile.kernel @steps(%x: !x, %w: !w, %y: !y, %end: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %u = tile.unit
  %d = tile.load %y[%u, %c0] rows(%end) : !y -> !d
  %a0 = tile.load %x[%u, %c0] rows(%end) : !x -> !a
  %b0 = tile.stage %w[%c0] : !w -> !b
  %d0 = tile.mma %a0, %b0[%c0, %c0], %d : !a, !b, !d -> !d
  %a1 = tile.load %x[%u, %c64] rows(%end) : !x -> !a
  %b1 = tile.stage %w[%c1] : !w -> !b
  %d1 = tile.mma %a1, %b1[%c0, %c0], %d0 : !a, !b, !d -> !d
  %a2 = tile.load %x[%u, %c128] rows(%end) : !x -> !a
  %b2 = tile.stage %w[%c2] : !w -> !b
  %d2 = tile.mma %a2, %b2[%c0, %c0], %d1 : !a, !b, !d -> !d
  %a3 = tile.load %x[%u, %c192] rows(%end) : !x -> !a
  %b3 = tile.stage %w[%c3] : !w -> !b
  %d3 = tile.mma %a3, %b3[%c0, %c0], %d2 : !a, !b, !d -> !d
  tile.store %d3 to %y[%u, %c0] rows(%end) : !d, !y
  tile.return
}

// Not beyond what gives an index, nor a store, nor a loop.
// CHECK-LABEL: tile.kernel @obstacles(
// CHECK: tile.load
// CHECK: tile.mma
// CHECK: %[[ROW:.*]] = arith.addi
// CHECK-NEXT: tile.load %{{.*}}[%[[ROW]],
// CHECK-NEXT: tile.stage
// CHECK: tile.store
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.stage
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.stage
tile.kernel @obstacles(%x: !x, %w: !w, %y: !y, %end: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = tile.unit
  %a0 = tile.load %x[%u, %c0] rows(%end) : !x -> !a
  %b0 = tile.stage %w[%c0] : !w -> !b
  %d0 = tile.mma %a0, %b0[%c0, %c0] : !a, !b -> !d
  %row = arith.addi %u, %end : index
  %b1 = tile.stage %w[%c1] : !w -> !b
  %a1 = tile.load %x[%row, %c0] rows(%end) : !x -> !a
  %d1 = tile.mma %a1, %b1[%c0, %c0], %d0 : !a, !b, !d -> !d
  tile.store %d1 to %y[%u, %c0] rows(%end) : !d, !y
  %a2 = tile.load %x[%u, %c0] rows(%end) : !x -> !a
  %b2 = tile.stage %w[%c0] : !w -> !b
  %d2 = scf.for %k = %c0 to %end step %c1 iter_args(%c = %d1) -> (!d) {
    %m = tile.mma %a2, %b2[%c0, %c0], %c : !a, !b, !d -> !d
    scf.yield %m : !d
  }
  %a3 = tile.load %x[%u, %c0] rows(%end) : !x -> !a
  %b3 = tile.stage %w[%c0] : !w -> !b
  %d3 = tile.mma %a3, %b3[%c0, %c0], %d2 : !a, !b, !d -> !d
  tile.store %d3 to %y[%u, %c0] rows(%end) : !d, !y
  tile.return
}
