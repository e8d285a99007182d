// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

!m = memref<?x128xf32>
!h = memref<?x128xf16>
!f = !tile.frag<16x64xf32>

// CHECK-LABEL: func @load(
func.func @load(%m: !m, %v: memref<384xf32>, %l: memref<?xi8>, %r: index, %c: index) {
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x128xf32> -> <16x64xf32>
  %0 = tile.load %m[%r, %c] : !m -> !f
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] rows(%{{.*}}) columns(40) : memref<?x128xf32> -> <16x64xf32>
  %1 = tile.load %m[%r, %c] rows(%c) columns(40) : !m -> !f
  // CHECK: tile.load %{{.*}}[%{{.*}}] : memref<384xf32> -> <1x64xf32>
  %2 = tile.load %v[%c] : memref<384xf32> -> !tile.frag<1x64xf32>
  // CHECK: tile.load %{{.*}}[%{{.*}}] rows(%{{.*}}) : memref<?xi8> -> <16x1xi8>
  %3 = tile.load %l[%r] rows(%c) : memref<?xi8> -> !tile.frag<16x1xi8>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x128xf32> -> <8x128xf32, line>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x128xf32> -> <1x128xf32, line>
  %4 = tile.load %m[%r, %c] : !m -> !tile.frag<8x128xf32, line>
  %5 = tile.load %m[%r, %c] : !m -> !tile.frag<1x128xf32, line>
  return
}

// CHECK-LABEL: func @store(
func.func @store(%m: !m, %f: !f, %r: index, %c: index) {
  // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : <16x64xf32>, memref<?x128xf32>
  tile.store %f to %m[%r, %c] : !f, !m
  // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] rows(%{{.*}}) columns(40) : <16x64xf32>, memref<?x128xf32>
  tile.store %f to %m[%r, %c] rows(%c) columns(40) : !f, !m
  return
}

// CHECK-LABEL: func @shared(
func.func @shared(%h: !h, %t: !tile.tiles<64x128xf16>, %f: !tile.frag<16x64xf16>, %mask: memref<?xi8>, %r: index, %c: index) -> index {
  // CHECK: tile.stage %{{.*}}[%{{.*}}] : !tile.tiles<64x128xf16> -> <64x128xf16>
  %0 = tile.stage %t[%r] : !tile.tiles<64x128xf16> -> !tile.buf<64x128xf16>
  // CHECK: tile.stage %{{.*}}[%{{.*}}, %{{.*}}] rows(%{{.*}}) columns(40) : memref<?x128xf16> -> <64x40xf16>
  %1 = tile.stage %h[%r, %c] rows(%c) columns(40) : !h -> !tile.buf<64x40xf16>
  // CHECK: tile.stage %{{.*}}[%{{.*}}, %{{.*}}] rows(%{{.*}}) padded [20, 32] : memref<?x128xf16> -> <64x40xf16>
  %padded = tile.stage %h[%r, %c] rows(%c) padded [20, 32] : !h -> !tile.buf<64x40xf16>
  // CHECK: %[[E:.*]] = tile.empty : <64x64xf16>
  // CHECK: tile.put %{{.*}} to %[[E]]
  %e = tile.empty : !tile.buf<64x64xf16>
  tile.put %f to %e[%r, %c] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>
  // CHECK: tile.publish %{{.*}} at(%{{.*}}, %{{.*}}) : <16x64xf16> -> <64x64xf16>
  %2 = tile.publish %f at(%r, %c) : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
  // CHECK: tile.fetch %{{.*}}[%{{.*}}, %{{.*}}] : <64x64xf16> -> <32x64xf16>
  %3 = tile.fetch %2[%r, %c] : !tile.buf<64x64xf16> -> !tile.frag<32x64xf16>
  // CHECK: tile.extent %{{.*}}[%{{.*}}] of(%{{.*}}) : memref<?xi8>
  %4 = tile.extent %mask[%r] of(%c) : memref<?xi8>
  return %4 : index
}

// CHECK-LABEL: func @mma(
func.func @mma(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %a32: !tile.frag<16x64xf32>, %b32: !tile.buf<64x64xf32>, %c: !f, %i: index) {
  // CHECK: tile.mma %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : <16x64xf16>, <64x64xf16> -> <16x64xf32>
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !f
  // CHECK: tile.mma %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {transpose_b} : <16x64xf16>, <64x64xf16>, !tile.frag<16x64xf32> -> <16x64xf32>
  %1 = tile.mma %a, %b[%i, %i], %c {transpose_b} : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !f -> !f
  // CHECK: tile.mma {{.*}} {split} : <16x64xf32>, <64x64xf32> -> <16x64xf32>
  %2 = tile.mma %a32, %b32[%i, %i] {split} : !tile.frag<16x64xf32>, !tile.buf<64x64xf32> -> !f
  // CHECK: tile.mma {{.*}} {transpose_b, warpgroup} : <16x64xf16>, <64x64xf16>, !tile.frag<16x64xf32> -> <16x64xf32>
  %c0 = arith.constant 0 : index
  %3 = tile.mma %a, %b[%i, %c0], %c {transpose_b, warpgroup} : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !f -> !f
  return
}

// CHECK-LABEL: func @map(
func.func @map(%x: !f, %b: !tile.frag<1x64xf32>, %s: f32) -> !tile.frag<16x64xf16> {
  // CHECK: tile.splat %{{.*}} : f32 -> <16x1xf32>
  %0 = tile.splat %s : f32 -> !tile.frag<16x1xf32>
  // CHECK: tile.map %{{.*}}, %{{.*}}, %{{.*}} : !tile.frag<16x64xf32>, !tile.frag<1x64xf32>, !tile.frag<16x1xf32> -> <16x64xf16> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
  %1 = tile.map %x, %b, %0 : !f, !tile.frag<1x64xf32>, !tile.frag<16x1xf32> -> !tile.frag<16x64xf16> {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %t = arith.addf %p, %q : f32
    %u = arith.mulf %t, %r : f32
    %h = arith.truncf %u : f32 to f16
    // CHECK: tile.yield %{{.*}} : f16
    tile.yield %h : f16
  }
  return %1 : !tile.frag<16x64xf16>
}

// CHECK-LABEL: func @rows(
func.func @rows(%x: !f, %p: !tile.frag<16x1xi1>, %seen: !tile.frag<1x64xi8>, %i: index) -> i1 {
  // CHECK: tile.row_reduce add %{{.*}} : <16x64xf32> -> <16x1xf32>
  %0 = tile.row_reduce add %x : !f -> !tile.frag<16x1xf32>
  // CHECK: tile.row_reduce max %{{.*}} : <16x64xf32> -> <16x1xf32>
  %1 = tile.row_reduce max %x : !f -> !tile.frag<16x1xf32>
  // CHECK: tile.mask %{{.*}} at(%{{.*}}, %{{.*}}) {causal} : <16x64xf32>
  %2 = tile.mask %x at(%i, %i) {causal} : !f
  // CHECK: tile.mask %{{.*}} at(%{{.*}}, %{{.*}}) keys(%{{.*}}) seen(%{{.*}} : !tile.frag<1x64xi8>) : <16x64xf32>
  %3 = tile.mask %2 at(%i, %i) keys(%i) seen(%seen : !tile.frag<1x64xi8>) : !f
  // CHECK: tile.row_index %{{.*}} : <16x1xi32>
  %4 = tile.row_index %i : !tile.frag<16x1xi32>
  // CHECK: tile.vote any %{{.*}} : <16x1xi1>
  %5 = tile.vote any %p : !tile.frag<16x1xi1>
  // CHECK: tile.vote all %{{.*}} : <16x1xi1>
  %6 = tile.vote all %p : !tile.frag<16x1xi1>
  return %6 : i1
}

// CHECK-LABEL: func @columns(
// CHECK-SAME: %[[X:.*]]: !tile.frag<16x64xf32>
func.func @columns(%x: !f) -> (!tile.frag<16x32xf32>, !tile.frag<16x128xf32>) {
  // CHECK: %[[S:.*]] = tile.slice %[[X]][8] : <16x64xf32> -> <16x32xf32>
  %0 = tile.slice %x[8] : !f -> !tile.frag<16x32xf32>
  // CHECK: %[[C:.*]] = tile.concat %[[X]], %[[X]] : !tile.frag<16x64xf32>, !tile.frag<16x64xf32> -> <16x128xf32>
  %1 = tile.concat %x, %x : !f, !f -> !tile.frag<16x128xf32>
  // CHECK: return %[[S]], %[[C]]
  return %0, %1 : !tile.frag<16x32xf32>, !tile.frag<16x128xf32>
}
