// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --canonicalize --cse | FileCheck %s

// A function a variant, in a module for each instruction set.

// CHECK: module @"x86-64-v4" attributes {hk.isa = "x86-64-v4"} {
// CHECK: func.func @relu(%[[ARGS:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64)
// CHECK-SAME: hk.executable = @relu, hk.imports = [], hk.packed = [], hk.scratch = 0 : i64, hk.variant = 0 : i64
// The buffers are the first field of the arguments.
// CHECK: %[[BUFFERS:.*]] = llvm.load %[[ARGS]]
// CHECK: %[[X:.*]] = llvm.load %[[BUFFERS]]
// CHECK: llvm.getelementptr %[[BUFFERS]][8]
// A workgroup is a block of 64 rows of a sequence of 128: two a sequence.
// CHECK: scf.for %[[W:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[SEQUENCE:.*]] = arith.divui %[[W]], %[[TWO:c2[a-z_0-9]*]]
// CHECK: %[[BLOCK:.*]] = arith.remui %[[W]], %[[TWO]]
// CHECK: arith.muli %[[BLOCK]], %c64
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<128x48xf32>, vector<16xf32>

// CHECK: module @"x86-64" attributes {hk.isa = "x86-64"} {
// CHECK: func.func @relu({{.*}} hk.variant = 1 : i64
// CHECK: vector.load %{{.*}} : memref<128x48xf32>, vector<4xf32>

hk.executable @relu {
  hk.variant #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
      grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x128x48xf32>):
    %y = hk.activation relu %x : tensor<?x128x48xf32>
    hk.yield %y : tensor<?x128x48xf32>
  }
  hk.variant #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>
      grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x128x48xf32>):
    %y = hk.activation relu %x : tensor<?x128x48xf32>
    hk.yield %y : tensor<?x128x48xf32>
  }
}

// Where the rows do not divide the sequence, the last block has its own code:
// 100 = 64 + 36. The layer, the last argument, is not a buffer.

// CHECK-LABEL: func.func @rest
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[IS_LAST]] {
// CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c36
// CHECK: } else {
// CHECK:   scf.for %{{.*}} = %c0{{.*}} to %c64

hk.executable @rest {
  hk.variant #hk.cpu<isa = "x86-64-v3", rows = 64, mr = 6, nr = 16, keys = 64>
      grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x100x8xf32>, %layer: index):
    %y = hk.activation relu %x : tensor<?x100x8xf32>
    hk.yield %y : tensor<?x100x8xf32>
  }
}
