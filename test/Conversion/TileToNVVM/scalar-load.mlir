// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm | FileCheck %s

// One element of a vector, such as the length of a sequence.

// CHECK-LABEL: llvm.func @length
// CHECK-SAME:    %[[N:.*]]: !llvm.ptr<1>
// CHECK:         %[[P:.*]] = llvm.getelementptr
// CHECK:         llvm.load %[[P]]{{.*}} : !llvm.ptr<1> -> i32
module @sm_90a attributes {hk.isa = "sm_90a"} {
  tile.kernel @length(%n: memref<?xi32>, %y: memref<?x128xf32>, %b: index)
      attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %i = tile.item
    %length = memref.load %n[%i] : memref<?xi32>
    %f = arith.sitofp %length : i32 to f32
    %v = tile.splat %f : f32 -> !tile.frag<4x128xf32, line>
    tile.store %v to %y[%i, %c0]
        : !tile.frag<4x128xf32, line>, memref<?x128xf32>
    tile.return
  }
}
