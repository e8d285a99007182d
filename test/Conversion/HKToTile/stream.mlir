// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Kernels without linear operations and attention stream rows.

#grid = affine_map<()[B] -> (B * 2)>
#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 8, columns = 0, heads = 0,
              block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#exact = #hk.cuda<arch = "sm_80", rows = 64, units = 8, columns = 0, heads = 0,
                  block = 64, depth = 64, keys = 64, stages = 3,
                  operands = tf32x3>

hk.packed @g : tensor<128xf32> {
  %z = hk.param "g" from f32 : tensor<128xf64>
  hk.yield %z : tensor<128xf64>
}
hk.packed @b : tensor<128xf32> {
  %z = hk.param "b" from f32 : tensor<128xf64>
  hk.yield %z : tensor<128xf64>
}

// Sequence i / 2, rows 64 * (i % 2) of it on; eight rows a warp. The variance
// is of differences to the mean; masks choose, casts round, all in one map.

// CHECK:       module @sm_90a attributes {hk.isa = "sm_90a"} {
// CHECK:       tile.kernel @norm(
// CHECK-SAME:    %[[X:.*]]: memref<?x128xf32>, %[[N:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?x128xf16>, %[[G:.*]]: memref<128xf32> {tile.constant}, %[[BETA:.*]]: memref<128xf32> {tile.constant}, %{{.*}}: index)
// CHECK-SAME:    hk.block = 64 : i64, hk.executable = @norm, hk.packed = [@g, @b], hk.stages = 3 : i64, hk.variant = 0 : i64, units = 8 : i64
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[BLOCK:.*]] = arith.remui %[[ITEM]], %c2
// CHECK:         %[[SEQ:.*]] = arith.divui %[[ITEM]], %c2
// CHECK:         %[[FIRST:.*]] = arith.muli %[[SEQ]], %c100
// CHECK:         %[[QUERY:.*]] = arith.muli %[[BLOCK]], %c64
// CHECK:         %[[CTA:.*]] = arith.addi %[[FIRST]], %[[QUERY]]
// CHECK:         %[[END:.*]] = arith.addi %[[FIRST]], %c100
// CHECK:         %[[U:.*]] = tile.unit
// CHECK:         %[[UROW:.*]] = arith.muli %[[U]], %c8
// CHECK:         %[[LOCAL:.*]] = arith.addi %[[QUERY]], %[[UROW]]
// CHECK:         %[[ROW:.*]] = arith.addi %[[CTA]], %[[UROW]]
// CHECK:         %[[V:.*]] = tile.load %[[X]][%[[ROW]], %c0] rows(%[[END]]) : memref<?x128xf32> -> <8x128xf32, line>
// CHECK:         %[[SUM:.*]] = tile.row_reduce add %[[V]]
// CHECK:         %[[MEAN:.*]] = tile.map %[[SUM]]
// CHECK:           arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK:         %[[SQUARES:.*]] = tile.map %[[V]], %[[MEAN]]
// CHECK:           %[[D:.*]] = arith.subf
// CHECK:           arith.mulf %[[D]], %[[D]]
// CHECK:         %[[VAR:.*]] = tile.row_reduce add %[[SQUARES]]
// CHECK:         %[[SCALE:.*]] = tile.map %[[VAR]]
// CHECK:           math.rsqrt %{{.*}} fastmath<contract,afn>
// CHECK:         tile.load %[[G]][%c0] : memref<128xf32> -> <1x128xf32, line>
// CHECK:         tile.load %[[BETA]][%c0]
// CHECK:         %[[Z:.*]] = tile.map %[[V]], %[[MEAN]], %[[SCALE]],
// CHECK:         %[[I:.*]] = tile.row_index %[[LOCAL]] : <8x1xi32, line>
// CHECK:         %[[LENGTH:.*]] = memref.load %[[N]][%[[SEQ]]]
// CHECK:         %[[H:.*]] = tile.map %[[I]], %[[Z]]
// CHECK:           %[[VALID:.*]] = arith.cmpi slt, %{{.*}}, %[[LENGTH]]
// CHECK:           arith.select %[[VALID]], %{{.*}}, %cst
// CHECK:           arith.truncf %{{.*}} : f32 to f16
// CHECK:         tile.store %[[H]] to %[[Y]][%[[ROW]], %c0] rows(%[[END]]) : <8x128xf16, line>, memref<?x128xf16>
hk.executable @norm {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x100x128xf32>, %n: tensor<?xi32>):
    %g = hk.packed.get @g : tensor<128xf32>
    %b = hk.packed.get @b : tensor<128xf32>
    %y = hk.layer_norm %x, %g, %b
        : tensor<?x100x128xf32>, tensor<128xf32>, tensor<128xf32>
    %z = hk.mask_rows %y lengths(%n) : tensor<?x100x128xf32>, tensor<?xi32>
    %h = hk.cast %z : tensor<?x100x128xf32> to tensor<?x100x128xf16>
    hk.yield %h : tensor<?x100x128xf16>
  }
}

// A sum that is a result and the input of a norm is computed once. The mask is
// a byte a row, the same for all columns.

// CHECK-LABEL: tile.kernel @residual
// CHECK:         %[[SUM:.*]] = tile.map %{{.*}}, %{{.*}} : !tile.frag<8x128xf32, line>, !tile.frag<8x128xf32, line> -> <8x128xf32, line> {
// CHECK:           arith.addf
// CHECK:         tile.store %[[SUM]] to
// CHECK:         tile.map %[[SUM]]
// CHECK:         %[[BYTES:.*]] = tile.load %{{.*}}[%{{.*}}] rows(%{{.*}}) : memref<?xi8> -> <8x1xi8, line>
// CHECK:         tile.map %[[BYTES]],
// CHECK:           arith.cmpi ne, %{{.*}}, %c0_i8
// CHECK:           arith.select
// CHECK-NOT:     arith.addf %{{.*}}, %{{.*}} : f32
hk.executable @residual {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x100x128xf32>, %d: tensor<?x100x128xf32>,
       %m: tensor<?x100xi1>):
    %r = hk.add %x, %d : tensor<?x100x128xf32>, tensor<?x100x128xf32>
    %y = hk.rms_norm %r : tensor<?x100x128xf32>
    %z = hk.mask_rows %y key_mask(%m) : tensor<?x100x128xf32>, tensor<?x100xi1>
    hk.yield %r, %z : tensor<?x100x128xf32>, tensor<?x100x128xf32>
  }
}

// Rows of 2048 columns take 64 registers each: a row at a time.

// CHECK-LABEL: tile.kernel @wide
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c1 {
// CHECK:           %[[ROW:.*]] = arith.addi %{{.*}}, %[[I]]
// CHECK:           tile.load %{{.*}}[%[[ROW]], %c0] rows(%{{.*}}) : memref<?x2048xf32> -> <1x2048xf32, line>
hk.executable @wide {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x100x2048xf32>):
    %y = hk.rms_norm %x : tensor<?x100x2048xf32>
    hk.yield %y : tensor<?x100x2048xf32>
  }
}

// Sixteen rows of seven columns lie in a warp (two lanes each), and a unit owns
// eight: the others are the next unit's.

// CHECK-LABEL: tile.kernel @narrow
// CHECK:         %[[LAST:.*]] = arith.addi %{{.*}}, %c8
// CHECK:         %[[END:.*]] = arith.minui %{{.*}}, %[[LAST]]
// CHECK:         tile.load %{{.*}} rows(%[[END]]) : memref<?x7xf32> -> <16x7xf32, line>
// CHECK:         tile.store %{{.*}} rows(%[[END]]) : <16x7xf32, line>, memref<?x7xf32>
hk.executable @narrow {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x100x7xf32>):
    %y = hk.activation relu %x : tensor<?x100x7xf32>
    hk.yield %y : tensor<?x100x7xf32>
  }
}

// A row of one column has no line: a slab, whose padding does not count.

// CHECK-LABEL: tile.kernel @one
// CHECK:         %[[X:.*]] = tile.load %{{.*}} columns(1) : memref<?x1xf32> -> <16x8xf32>
// CHECK:         %[[ONES:.*]] = tile.splat
// CHECK:         %[[IN:.*]] = tile.mask %[[ONES]] at(%c0, %c0) keys(%c1) : <16x8xf32>
// CHECK:         %[[Z:.*]] = tile.map %[[X]], %[[IN]]
// CHECK:           arith.cmpf ogt
// CHECK:           arith.select
// CHECK:         tile.row_reduce add %[[Z]]
// CHECK:         tile.store %{{.*}} columns(1) : <16x8xf32>, memref<?x1xf32>
hk.executable @one {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x100x1xf32>):
    %y = hk.layer_norm %x : tensor<?x100x1xf32>
    hk.yield %y : tensor<?x100x1xf32>
  }
}

// Columns of a wider argument; functions as exact as f32.

// CHECK:       module @sm_80 attributes {hk.isa = "sm_80"} {
// CHECK:       tile.kernel @gate
// CHECK:         %[[A:.*]] = tile.load %{{.*}}[%{{.*}}, %c0]
// CHECK:         %[[B:.*]] = tile.load %{{.*}}[%{{.*}}, %c40]
// CHECK:         tile.map %[[A]], %[[B]]
// CHECK:           math.exp %{{.*}} fastmath<contract>
// CHECK:           arith.divf %{{.*}} fastmath<contract>
// CHECK:           arith.mulf
hk.executable @gate {
  hk.variant #exact grid(#grid) {
  ^bb0(%x: tensor<?x100x80xf32>):
    %a, %b = hk.split %x
        : tensor<?x100x80xf32> -> tensor<?x100x40xf32>, tensor<?x100x40xf32>
    %s = hk.activation silu %a : tensor<?x100x40xf32>
    %y = hk.mul %s, %b : tensor<?x100x40xf32>, tensor<?x100x40xf32>
    hk.yield %y : tensor<?x100x40xf32>
  }
}
