// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Attention by blocks of keys, alone and in front of other operations.

#grid = affine_map<()[B] -> (B * 8)>
#heads = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 64, stages = 2,
                  operands = f16>
#two = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 2,
                block = 64, depth = 64, keys = 64, stages = 2, operands = f16>
#chain = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0,
                  heads = 0, block = 64, depth = 64, keys = 64, stages = 2,
                  operands = f16>

!h = tensor<?x100x128xf16>
!x = tensor<?x100x128xf32>

hk.packed @w : tensor<128x128xf32> {
  %z = hk.param "w" from f32 : tensor<128x128xf64>
  hk.yield %z : tensor<128x128xf64>
}

// One head a CTA, a pair of query heads to a head of keys. All keys are seen:
// nothing is compared, and what a key holds has its part in every query.

// CHECK-LABEL: tile.kernel @all
// CHECK:         %[[HEAD:.*]] = arith.remui %{{.*}}, %c4
// CHECK:         %[[GROUP:.*]] = arith.divui %[[HEAD]], %c2
// CHECK:         %[[Q:.*]] = tile.load %{{.*}} -> <16x32xf16>
// CHECK:         scf.for %[[KEY:.*]] = %c0 to %c128 step %c64 iter_args
// CHECK:           %[[K:.*]] = tile.stage %{{.*}} columns(32) : memref<?x64xf16> -> <64x32xf16>
// CHECK:           %[[V:.*]] = tile.stage
// CHECK:           %[[S:.*]] = tile.mma %[[Q]], %[[K]][%c0, %c0]
// CHECK-NOT:       tile.mask
// CHECK:           tile.row_reduce max %[[S]]
// CHECK:           tile.mma %{{.*}}, %[[V]][%c0, %c0], %{{.*}} {transpose_b}
// CHECK:         tile.row_reduce add
// CHECK-NOT:     tile.vote
// CHECK:         tile.store %{{.*}} : <16x32xf16>, memref<?x128xf16>
hk.executable @all {
  hk.variant #heads grid(#grid) {
  ^bb0(%q: tensor<?x128x128xf16>, %k: tensor<?x128x64xf16>,
       %v: tensor<?x128x64xf16>):
    %a = hk.attention %q, %k, %v
        {num_heads = 4 : i32, num_kv_heads = 2 : i32, base2, scale = 1.0}
        : tensor<?x128x128xf16>, tensor<?x128x64xf16>, tensor<?x128x64xf16>
    hk.yield %a : tensor<?x128x128xf16>
  }
}

// Two heads a CTA, of columns of one argument. Blocks that all queries see come
// first. A context that is not finite may be so because of a key that its query
// does not see: then it is computed again, key by key, and no other unit knows.

// CHECK-LABEL: tile.kernel @causal
// CHECK:         scf.for %[[HEAD:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK:           scf.for
// CHECK-NOT:         tile.mask
// CHECK:             scf.yield
// CHECK:           scf.for
// CHECK:             tile.mask %{{.*}} keys(%{{.*}}) {causal}
// CHECK:             scf.yield
// CHECK:           %[[CONTEXT:.*]] = tile.map %{{.*}} -> <16x32xf32>
// CHECK:           %[[SUM:.*]] = tile.row_reduce add %[[CONTEXT]]
// CHECK:           %[[WRONG:.*]] = tile.map %[[SUM]]
// CHECK:             arith.mulf %{{.*}}, %cst
// CHECK:             arith.cmpf uno
// CHECK:           %[[ANY:.*]] = tile.vote any %[[WRONG]]
// CHECK:           %[[RESULT:.*]] = scf.if %[[ANY]]
// CHECK-NOT:         tile.stage
// CHECK:             tile.row_index
// CHECK:             scf.for %[[KEY:.*]] = %c0 to
// CHECK:               tile.load %{{.*}} : memref<?x384xf16> -> <1x32xf16>
// CHECK:               tile.row_reduce add
// CHECK:               arith.cmpi sge
// CHECK:             scf.for
// CHECK:               arith.cmpf une
// CHECK:               arith.select
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[CONTEXT]]
// CHECK:           tile.map %[[RESULT]]
// CHECK:           tile.store
hk.executable @causal {
  hk.variant #two grid(#grid) {
  ^bb0(%x: tensor<?x100x384xf16>):
    %q, %k, %v = hk.split %x : tensor<?x100x384xf16> -> !h, !h, !h
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !h, !h, !h
    hk.yield %a : !h
  }
}

// In front of its projection the heads are blocks of the input: each is added
// to the sums, which begin with the residual.

// CHECK-LABEL: tile.kernel @projected(
// CHECK-SAME:    !tile.tiles<128x32xf16, strip_rows = 16>
// CHECK:         %[[LIMIT:.*]] = tile.extent %{{[^{]*}} : memref
// CHECK:         %[[LEADING:.*]] = tile.extent {{.*}}{leading}
// CHECK:         %[[R:.*]] = scf.for %[[HEAD:.*]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (!tile.frag<16x128xf32, strip16>)

// Blocks before the first hole of the mask are not compared; its bytes are
// looked at only where it is no prefix.
// CHECK:           %[[COMMON:.*]] = arith.minsi %[[LEADING]], %[[LIMIT]]
// CHECK:           %[[BLOCKS:.*]] = arith.divui %[[COMMON]], %c64
// CHECK:           %[[WHOLE:.*]] = arith.muli %[[BLOCKS]], %c64
// CHECK:           scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c64
// CHECK-NOT:         tile.mask
// CHECK:           %[[PREFIX:.*]] = arith.cmpi sge, %[[LEADING]], %[[LIMIT]]
// CHECK:           scf.if %[[PREFIX]]
// CHECK:             scf.for %{{.*}} = %[[WHOLE]] to %[[LIMIT]] step %c64
// CHECK:               tile.mask %{{.*}} keys(%[[LIMIT]]) :
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} = %[[WHOLE]] to %[[LIMIT]] step %c64
// CHECK:               tile.mask %{{.*}} keys(%[[LIMIT]]) seen(
// CHECK:           tile.vote
// CHECK:             arith.cmpi ne
// CHECK:           %[[A:.*]] = tile.map %{{.*}} -> <16x32xf16>
// CHECK:           %[[W:.*]] = tile.stage %{{.*}}[%[[HEAD]]] : !tile.tiles<128x32xf16, strip_rows = 16>
// CHECK:           %[[NEXT:.*]] = tile.mma %[[A]], %[[W]][%c0, %c0], %[[ACC]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         tile.row_reduce add %[[R]]
hk.executable @projected {
  hk.variant #chain grid(#grid) {
  ^bb0(%q: !h, %k: !h, %x: !x, %m: tensor<?x100xi1>):
    %w = hk.packed.get @w : tensor<128x128xf32>
    %a = hk.attention %q, %k, %k key_mask(%m) {num_heads = 4 : i32}
        : !h, !h, !h, tensor<?x100xi1>
    %f = hk.cast %a : !h to !x
    %o = hk.linear %f, %w : !x, tensor<128x128xf32>
    %r = hk.add %o, %x : !x, !x
    %n = hk.layer_norm %r : !x
    hk.yield %n : !x
  }
}

// What is computed key by key goes by blocks of columns: the products in a loop,
// the context in as many passes as it has blocks.

// CHECK-LABEL: tile.kernel @wide(
// CHECK:         %[[RESULT:.*]] = scf.if
// CHECK:           scf.for %{{.*}} = %c0 to %[[LIMIT:.*]] step %c1 iter_args
// CHECK:             %[[THREE:.*]] = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
// CHECK:               tile.load %{{.*}} -> <16x32xf16>
// CHECK:               tile.load %{{.*}} -> <1x32xf16>
// CHECK:             tile.load %{{.*}} columns(4) : memref<?x300xf16> -> <16x8xf16>
// CHECK:             tile.load %{{.*}} columns(4) : memref<?x300xf16> -> <1x8xf16>
// CHECK:           %[[FIRST:.*]]:2 = scf.for %{{.*}} = %c0 to %[[LIMIT]] step %c1 iter_args({{.*}}) -> (!tile.frag<16x1xf32>, !tile.frag<16x64xf32>)
// CHECK:           %[[A:.*]] = tile.map %[[FIRST]]#1, %[[FIRST]]#0
// CHECK:           %[[SECOND:.*]]:2 = scf.for %{{.*}} = %c0 to %[[LIMIT]] step %c1 iter_args({{.*}}) -> (!tile.frag<16x1xf32>, !tile.frag<16x40xf32>)
// CHECK:           %[[B:.*]] = tile.map %[[SECOND]]#1, %[[SECOND]]#0
// CHECK:           tile.concat %[[A]], %[[B]] : {{.*}} -> <16x104xf32>
!wide = tensor<?x100x100xf16>
hk.executable @wide {
  hk.variant #heads grid(#grid) {
  ^bb0(%x: tensor<?x100x300xf16>):
    %q, %k, %v = hk.split %x : tensor<?x100x300xf16> -> !wide, !wide, !wide
    %a = hk.attention %q, %k, %v {num_heads = 1 : i32, causal} : !wide, !wide, !wide
    hk.yield %a : !wide
  }
}
