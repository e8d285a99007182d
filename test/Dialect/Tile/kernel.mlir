// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @copy(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x64xf32>, %[[B:.*]]: index) attributes {units = 4 : i64} {
tile.kernel @copy(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %b: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: tile.item
  %i = tile.item
  // CHECK: tile.ctas
  %n = tile.ctas
  // CHECK: tile.unit
  %u = tile.unit
  %r = arith.addi %i, %u : index
  %f = tile.load %x[%r, %c0] rows(%b) : memref<?x64xf32> -> !tile.frag<16x64xf32>
  tile.store %f to %y[%r, %c0] rows(%b) : !tile.frag<16x64xf32>, memref<?x64xf32>
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel @weights(
// CHECK-SAME: !tile.tiles<64x128xf16>
tile.kernel @weights(%w: !tile.tiles<64x128xf16>, %v: memref<64xf32>) attributes {producers = 1 : i64, shared = 1024 : i64, units = 1 : i64} {
  tile.return
}
