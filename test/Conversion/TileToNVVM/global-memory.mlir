// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --tile-to-nvvm | FileCheck %s

// Accesses are as wide as the alignment of rows and columns allows, and carry
// a predicate only where a bound is not known to hold.

// CHECK-LABEL: llvm.func @line
// 16 bytes a lane; what is never written is read-only.
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @line(%x: memref<?x128xf32>, %y: memref<?x128xf32>)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0, %c0] : memref<?x128xf32> -> !tile.frag<2x128xf32, line>
    tile.store %v to %y[%c0, %c0] : !tile.frag<2x128xf32, line>, memref<?x128xf32>
    tile.return
  }
}

// -----

// CHECK-LABEL: llvm.func @slab
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// Two lanes exchange a register: 8 bytes each, 32 beside each other.
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @slab(%x: memref<?x64xf16>, %y: memref<?x64xf16>)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v = tile.load %x[%c0, %c16] : memref<?x64xf16> -> !tile.frag<16x16xf16>
    tile.store %v to %y[%c0, %c0] : !tile.frag<16x16xf16>, memref<?x64xf16>
    tile.return
  }
}

// -----

// One comparison a row, and none of columns. What is written may be read back:
// not read-only.
// CHECK-LABEL: llvm.func @rows
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[P0:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]]
// CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.v2.b32 {$0, $1}, [$3+0];", "=r,=r,b,l,0,1" %[[P0]]
// CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.v2.b32 {$0, $1}, [$3+32];", "=r,=r,b,l,0,1" %[[P0]]
// CHECK: %[[P1:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]]
// CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.v2.b32 {$0, $1}, [$3+512];", "=r,=r,b,l,0,1" %[[P1]]
// CHECK: "@$0 st.global.v2.b32 [$1+0], {$2, $3};", "b,l,r,r"
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @rows(%x: memref<?x16xf32>, %b: index)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0, %c0] rows(%b) : memref<?x16xf32> -> !tile.frag<16x16xf32>
    tile.store %v to %x[%c0, %c0] rows(%b) : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }
}

// -----

// 13 columns: one element at a time; the second group of eight partly.
// CHECK-LABEL: llvm.func @odd
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: "@$1 ld.global.nc.b32 $0, [$2+32];", "=r,b,l,0"
// CHECK: "@$1 ld.global.nc.b32 $0, [$2+36];", "=r,b,l,0"
// CHECK-NOT: [$2+64]
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @odd(%x: memref<?x13xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0, %c0] : memref<?x13xf32> -> !tile.frag<16x24xf32>
    tile.return
  }
}

// -----

// A column that is not known, but even: pairs, each whole inside or outside.
// CHECK-LABEL: llvm.func @column
// CHECK: ld.global.nc.v2.b32
// CHECK-NOT: ld.global.nc.b32
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @column(%x: memref<?x30xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %i = tile.item
    %j = arith.muli %i, %c6 : index
    %v = tile.load %x[%c0, %j] : memref<?x30xf32> -> !tile.frag<16x8xf32>
    tile.return
  }
}

// -----

// Vectors: along columns, the same for all rows; along rows, one element each,
// up to the end that `rows` gives.
// CHECK-LABEL: llvm.func @vectors
// CHECK: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: "@$1 ld.global.nc.b8 $0, [$2+0];", "=h,b,l,0"
// CHECK: "@$1 ld.global.nc.b8 $0, [$2+8];", "=h,b,l,0"
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @vectors(%x: memref<8xf32>, %m: memref<?xi8>, %b: index)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0] : memref<8xf32> -> !tile.frag<1x8xf32>
    %r = tile.load %m[%c0] rows(%b) : memref<?xi8> -> !tile.frag<16x1xi8>
    tile.return
  }
}

// -----

// Columns in blocks that are there as one: a comparison for all lanes, and
// none of each lane's column.
// CHECK-LABEL: llvm.func @blocks
// CHECK: %[[J:.*]] = arith.muli {{.*}} : index
// CHECK: %[[COLUMN:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[COLUMN]] : i32
// CHECK: %[[P:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]]
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-4: "@$2 ld.global.nc.v2.b32 {{.*}} %[[P]],
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @blocks(%x: memref<?x64xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %i = tile.item
    %j = arith.muli %i, %c16 : index
    %v = tile.load %x[%c0, %j] : memref<?x64xf32> -> !tile.frag<16x16xf32>
    tile.return
  }
}

// -----

// One number for all.
// CHECK-LABEL: llvm.func @scalar
// CHECK: %[[AT:.*]] = llvm.getelementptr %arg0
// CHECK: llvm.load %[[AT]] invariant {alignment = 4 : i64} : !llvm.ptr<1> -> i32
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @scalar(%lengths: memref<?xi32>, %b: index)
      attributes {units = 1 : i64} {
    %n = memref.load %lengths[%b] : memref<?xi32>
    tile.return
  }
}

// -----

// A store ends a block of code where rows are computed behind it, so that it does
// not go behind them; not where a product follows, nor at the end.

// CHECK-LABEL: llvm.func @store_before_rows
// CHECK: llvm.store %{{.*}} !llvm.ptr<1>
// CHECK-NOT: trap
// CHECK: llvm.inline_asm has_side_effects {{.*}}setp.eq.u64 p, $0, 0; @p trap;{{.*}} "l,~{memory}"
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.store %{{.*}} !llvm.ptr<1>
// CHECK-NOT: trap
// CHECK: llvm.return
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @store_before_rows(%x: memref<?x16xf32>, %y: memref<?x16xf32>)
      attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %x[%c0, %c0] : memref<?x16xf32> -> !tile.frag<16x16xf32>
    tile.store %v to %y[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    %s = tile.row_reduce add %v : !tile.frag<16x16xf32> -> !tile.frag<16x1xf32>
    %n = tile.map %v, %s : !tile.frag<16x16xf32>, !tile.frag<16x1xf32> -> !tile.frag<16x16xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %a, %b : f32
      tile.yield %c : f32
    }
    tile.store %n to %y[%c0, %c0] : !tile.frag<16x16xf32>, memref<?x16xf32>
    tile.return
  }
}
