// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-block | FileCheck %s
// RUN: hk-opt %s -split-input-file -tile-block=columns=128 | FileCheck %s -check-prefix=WIDE
// RUN: hk-opt %s -split-input-file -tile-block -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!a = !tile.frag<16x64xf16>
!f = !tile.frag<16x128xf32>
!h = !tile.frag<16x128xf16>
!b = !tile.buf<128x64xf16>
!w = !tile.buf<64x128xf16>

// Two linear operations in a row: the first in two blocks, with the part of the
// bias that each needs; the second adds one block after the other.
// REMARK: [Passed] Blocked | Category:tile-block | Function=chain | Remark="1 accumulators in blocks of 64 columns"
// WIDE-LABEL: tile.kernel @chain(
// WIDE: tile.mma {{.*}} -> <16x128xf32>
// CHECK-LABEL: tile.kernel @chain(
// CHECK-SAME: %[[T:.*]]: !tile.tiles<128x64xf16>, %[[S:.*]]: !tile.tiles<64x128xf16>, %[[X:.*]]: memref<?x64xf16>, %[[V:.*]]: memref<128xf32>, %[[Y:.*]]: memref<?x64xf32>
tile.kernel @chain(%t: !tile.tiles<128x64xf16>, %s: !tile.tiles<64x128xf16>, %x: memref<?x64xf16>, %v: memref<128xf32>, %y: memref<?x64xf32>, %i: index) attributes {units = 4 : i64, hk.block = 64 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = tile.load %[[X]]
  %a = tile.load %x[%i, %c0] : memref<?x64xf16> -> !a
  // CHECK: %[[B:.*]] = tile.stage %[[T]]
  %b = tile.stage %t[%c0] : !tile.tiles<128x64xf16> -> !b
  // CHECK: %[[W:.*]] = tile.stage %[[S]]
  %w = tile.stage %s[%c0] : !tile.tiles<64x128xf16> -> !w
  // CHECK: %[[D0:.*]] = tile.mma %[[A]], %[[B]][%c0, %c0] : <16x64xf16>, <128x64xf16> -> <16x64xf32>
  // CHECK: %[[B0:.*]] = tile.load %[[V]][%c0] : memref<128xf32> -> <1x64xf32>
  // CHECK: %[[H0:.*]] = tile.map %[[D0]], %[[B0]] : !tile.frag<16x64xf32>, !tile.frag<1x64xf32> -> <16x64xf16>
  // CHECK: %[[E0:.*]] = tile.mma %[[H0]], %[[W]][%c0, %c0] : <16x64xf16>, <64x128xf16> -> <16x64xf32>
  // CHECK: %[[D1:.*]] = tile.mma %[[A]], %[[B]][%[[C64:.*]], %c0] : <16x64xf16>, <128x64xf16> -> <16x64xf32>
  // CHECK: %[[B1:.*]] = tile.load %[[V]][%{{.*}}] : memref<128xf32> -> <1x64xf32>
  // CHECK: %[[H1:.*]] = tile.map %[[D1]], %[[B1]]
  // CHECK: %[[E1:.*]] = tile.mma %[[H1]], %[[W]][%c0, %{{.*}}], %[[E0]] : <16x64xf16>, <64x128xf16>, !tile.frag<16x64xf32> -> <16x64xf32>
  // CHECK: tile.store %[[E1]] to %[[Y]]
  %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !f
  %bias = tile.load %v[%c0] : memref<128xf32> -> !tile.frag<1x128xf32>
  %h = tile.map %d, %bias : !f, !tile.frag<1x128xf32> -> !h {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    %k = arith.truncf %r : f32 to f16
    tile.yield %k : f16
  }
  %e = tile.mma %h, %w[%c0, %c0] : !h, !w -> !tile.frag<16x64xf32>
  tile.store %e to %y[%i, %c0] : !tile.frag<16x64xf32>, memref<?x64xf32>
  tile.return
}

// -----

!a = !tile.frag<16x64xf16>
!f = !tile.frag<16x128xf32>
!b = !tile.buf<64x128xf16>

// A residual as C, stored with fewer columns than there are: by blocks, too.
// CHECK-LABEL: tile.kernel @residual(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf16>, %[[R:.*]]: memref<?x100xf32>, %[[Y:.*]]: memref<?x100xf32>
tile.kernel @residual(%x: memref<?x64xf16>, %r: memref<?x100xf32>, %y: memref<?x100xf32>, %t: !tile.tiles<64x128xf16>, %i: index) attributes {units = 4 : i64, hk.block = 64 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : memref<?x64xf16> -> !a
  %b = tile.stage %t[%c0] : !tile.tiles<64x128xf16> -> !b
  // CHECK: %[[C0:.*]] = tile.load %[[R]][%{{.*}}, %c0] : memref<?x100xf32> -> <16x64xf32>
  // CHECK: %[[D0:.*]] = tile.mma %{{.*}}, %{{.*}}[%c0, %c0], %[[C0]] {transpose_b}
  // CHECK: tile.store %[[D0]] to %[[Y]][%{{.*}}, %c0] : <16x64xf32>
  // CHECK: %[[C1:.*]] = tile.load %[[R]][%{{.*}}, %{{.*}}] columns(36) : memref<?x100xf32> -> <16x64xf32>
  // CHECK: %[[D1:.*]] = tile.mma %{{.*}}, %{{.*}}[%c0, %{{.*}}], %[[C1]] {transpose_b}
  // CHECK: tile.store %[[D1]] to %[[Y]][%{{.*}}, %{{.*}}] columns(36) : <16x64xf32>
  %c = tile.load %r[%i, %c0] columns(100) : memref<?x100xf32> -> !f
  %d = tile.mma %a, %b[%c0, %c0], %c {transpose_b} : !a, !b, !f -> !f
  tile.store %d to %y[%i, %c0] columns(100) : !f, memref<?x100xf32>
  tile.return
}

// -----

!a = !tile.frag<16x64xf16>
!f = !tile.frag<16x128xf32>
!b = !tile.buf<128x64xf16>

// A reduction needs all columns, and so does what a loop carries.
// REMARK-NOT: Function=whole
// CHECK-LABEL: tile.kernel @whole(
tile.kernel @whole(%x: memref<?x64xf16>, %y: memref<?x128xf32>, %t: !tile.tiles<128x64xf16>, %i: index) attributes {units = 4 : i64, hk.block = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.load %x[%i, %c0] : memref<?x64xf16> -> !a
  %b = tile.stage %t[%c0] : !tile.tiles<128x64xf16> -> !b
  // CHECK: tile.mma {{.*}} -> <16x128xf32>
  // CHECK-NOT: tile.mma
  // CHECK: scf.for
  // CHECK: tile.mma {{.*}} -> <16x128xf32>
  // CHECK-NOT: tile.mma
  // CHECK: tile.return
  %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !f
  %s = tile.row_reduce add %d : !f -> !tile.frag<16x1xf32>
  %l = scf.for %j = %c0 to %i step %c1 iter_args(%c = %d) -> (!f) {
    %e = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !f -> !f
    scf.yield %e : !f
  }
  tile.store %l to %y[%i, %c0] : !f, memref<?x128xf32>
  tile.return
}

// -----

!q = !tile.frag<16x32xf32>
!h = !tile.frag<16x32xf16>

// What is put together only to be multiplied is not put together; slices take
// from the parts.
// CHECK-LABEL: tile.kernel @concat(
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[Y:.*]] = tile.load
// CHECK-NOT: tile.concat
// CHECK: %[[M:.*]] = tile.mma %[[X]], %{{.*}}[%c0, %c0]
// CHECK: %[[N:.*]] = tile.mma %[[Y]], %{{.*}}[%c0, %{{.*}}], %[[M]]
// CHECK: %[[S:.*]] = tile.slice %[[Y]][16]
// CHECK: tile.mma %[[S]]
tile.kernel @concat(%x: memref<?x64xf16>, %y: memref<?x64xf32>, %t: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64, hk.block = 64 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.stage %t[%c0] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  %0 = tile.load %x[%i, %c0] : memref<?x64xf16> -> !h
  %1 = tile.load %x[%i, %i] : memref<?x64xf16> -> !h
  %2 = tile.concat %0, %1 : !h, !h -> !tile.frag<16x64xf16>
  %3 = tile.mma %2, %b[%c0, %c0] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  %4 = tile.slice %2[48] : !tile.frag<16x64xf16> -> !tile.frag<16x16xf16>
  %5 = tile.mma %4, %b[%c0, %c0], %3 : !tile.frag<16x16xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
  tile.store %5 to %y[%i, %c0] : !tile.frag<16x64xf32>, memref<?x64xf32>
  tile.return
}
