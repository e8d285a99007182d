// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --tile-to-nvvm --cse | FileCheck %s

// A map is its region, once an element that a lane holds: here two rows of two
// columns. What depends on the row alone is left once a row. Both columns are
// rounded at once.

// CHECK-LABEL: llvm.func @map
// CHECK: %[[TWICE0:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[A:.*]] = arith.mulf %{{.*}}, %[[TWICE0]] : f32
// CHECK-NOT: arith.addf
// CHECK: %[[B:.*]] = arith.mulf %{{.*}}, %[[TWICE0]] : f32
// CHECK: %[[HALF:.*]] = llvm.insertelement %[[A]]
// CHECK: %[[PAIR:.*]] = llvm.insertelement %[[B]], %[[HALF]]
// CHECK: llvm.fptrunc %[[PAIR]] : vector<2xf32> to vector<2xf16>
// CHECK: arith.addf
// CHECK-NOT: arith.truncf
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @map(%x: memref<?x8xf32>, %r: memref<16xf32>, %y: memref<?x8xf16>)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %s = tile.load %r[%c0] : memref<16xf32> -> !tile.frag<16x1xf32>
    %h = tile.map %v, %s : !tile.frag<16x8xf32>, !tile.frag<16x1xf32> -> !tile.frag<16x8xf16> {
    ^bb0(%a: f32, %b: f32):
      %twice = arith.addf %b, %b : f32
      %p = arith.mulf %a, %twice : f32
      %n = arith.truncf %p : f32 to f16
      tile.yield %n : f16
    }
    tile.store %h to %y[%c0, %c0] : !tile.frag<16x8xf16>, memref<?x8xf16>
    tile.return
  }
}

// -----

// Moving registers costs nothing.
// CHECK-LABEL: llvm.func @move
// CHECK-NOT: arith.constant 1.0
// CHECK: %[[B:.*]] = arith.constant 2.0
// CHECK: %[[W:.*]] = llvm.bitcast %[[B]] : f32 to i32
// CHECK: llvm.insertelement %[[W]]
// CHECK: llvm.store
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @move(%y: memref<?x8xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %a = tile.splat %one : f32 -> !tile.frag<16x8xf32>
    %b = tile.splat %two : f32 -> !tile.frag<16x8xf32>
    %c = tile.concat %a, %b : !tile.frag<16x8xf32>, !tile.frag<16x8xf32> -> !tile.frag<16x16xf32>
    %d = tile.slice %c[8] : !tile.frag<16x16xf32> -> !tile.frag<16x8xf32>
    tile.store %d to %y[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }
}

// -----

// A pair of the same number.
// CHECK-LABEL: llvm.func @splat
// CHECK: llvm.insertelement
// CHECK: llvm.insertelement
// CHECK-SAME: vector<2xf16>
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @splat(%y: memref<?x8xf16>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f16
    %a = tile.splat %one : f16 -> !tile.frag<16x8xf16>
    tile.store %a to %y[%c0, %c0] : !tile.frag<16x8xf16>, memref<?x8xf16>
    tile.return
  }
}

// -----

// Row less column, once, and the keys of row g and g + 8; then a comparison with
// a constant an element: column 2t + 0 or 1.
// CHECK-LABEL: llvm.func @causal
// CHECK: %[[OWN:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[LEFT0:.*]] = arith.addi %[[OWN]], %c1_i32{{.*}} : i32
// CHECK: %[[LEFT1:.*]] = arith.addi %[[OWN]], %c9_i32 : i32
// CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[LEFT0]] : i32
// CHECK: arith.cmpi slt, %c1_i32{{.*}}, %[[LEFT0]] : i32
// CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[LEFT1]] : i32
// CHECK: arith.cmpi slt, %c1_i32{{.*}}, %[[LEFT1]] : i32
// CHECK-NOT: arith.subi
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @causal(%x: memref<?x8xf32>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %m = tile.mask %s at(%b, %c0) {causal} : !tile.frag<16x8xf32>
    tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }
}

// -----

// Of its own keys and of those that there are, a row keeps the fewer: a comparison
// an element all the same.
// CHECK-LABEL: llvm.func @causal_keys
// CHECK: %[[KEYS:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[OWN:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[LEFT0:.*]] = arith.addi %[[OWN]], %c1_i32{{.*}} : i32
// CHECK: %[[FEWER0:.*]] = arith.cmpi slt, %[[KEYS]], %[[LEFT0]] : i32
// CHECK: %[[END0:.*]] = arith.select %[[FEWER0]], %[[KEYS]], %[[LEFT0]] : i32
// CHECK: %[[LEFT1:.*]] = arith.addi %[[OWN]], %c9_i32 : i32
// CHECK: %[[FEWER1:.*]] = arith.cmpi slt, %[[KEYS]], %[[LEFT1]] : i32
// CHECK: %[[END1:.*]] = arith.select %[[FEWER1]], %[[KEYS]], %[[LEFT1]] : i32
// CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[END0]] : i32
// CHECK: arith.cmpi slt, %c1_i32{{.*}}, %[[END0]] : i32
// CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[END1]] : i32
// CHECK: arith.cmpi slt, %c1_i32{{.*}}, %[[END1]] : i32
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.andi {{.*}} : i1
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @causal_keys(%x: memref<?x8xf32>, %b: index, %n: index)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %m = tile.mask %s at(%b, %c0) keys(%n) {causal} : !tile.frag<16x8xf32>
    tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }
}

// -----

// Keys that are seen, and there: once a column.
// CHECK-LABEL: llvm.func @keys
// CHECK-COUNT-2: arith.andi {{.*}} : i1
// CHECK-NOT: arith.andi {{.*}} : i1
// CHECK-COUNT-4: arith.select {{.*}} : f32
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @keys(%x: memref<?x8xf32>, %k: memref<8xi8>, %b: index)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %s = tile.load %x[%c0, %c0] : memref<?x8xf32> -> !tile.frag<16x8xf32>
    %seen = tile.load %k[%c0] : memref<8xi8> -> !tile.frag<1x8xi8>
    %m = tile.mask %s at(%c0, %c0) keys(%b) seen(%seen : !tile.frag<1x8xi8>)
        : !tile.frag<16x8xf32>
    tile.store %m to %x[%c0, %c0] : !tile.frag<16x8xf32>, memref<?x8xf32>
    tile.return
  }
}

// -----

// CHECK-LABEL: llvm.func @numbers
// CHECK: %[[BASE:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[BASE]], %{{.*}} : i32
// CHECK: arith.addi %[[FIRST]], %c8_i32 : i32
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @numbers(%y: memref<?x1xi32>, %b: index)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %i = tile.row_index %b : !tile.frag<16x1xi32>
    tile.store %i to %y[%c0, %c0] : !tile.frag<16x1xi32>, memref<?x1xi32>
    tile.return
  }
}
