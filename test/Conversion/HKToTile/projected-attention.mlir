// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Attention whose keys and values the kernel computes. A CTA owns a sequence.

#grid = affine_map<()[B] -> (B * 4)>
#heads = #hk.cuda<arch = "sm_90a", rows = 112, units = 7, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 16, stages = 2,
                  operands = f16>
#four = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 4,
                 block = 16, depth = 64, keys = 32, stages = 2,
                 operands = f16>
#shared = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0,
                   heads = 4, block = 32, depth = 64, keys = 32, stages = 2,
                   operands = f16>
#all = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 0,
                block = 64, depth = 64, keys = 32, stages = 2, operands = f16>

!x = tensor<?x100x128xf32>
!h = tensor<?x100x128xf16>
!s = tensor<?x32x64xf32>
!wide = tensor<?x32x512xf32>

hk.packed @w : tensor<384x128xf32> {
  %z = hk.param "w" from f32 : tensor<384x128xf64>
  hk.yield %z : tensor<384x128xf64>
}
hk.packed @square : tensor<128x128xf32> {
  %z = hk.param "square" from f32 : tensor<128x128xf64>
  hk.yield %z : tensor<128x128xf64>
}
hk.packed @small : tensor<192x64xf32> {
  %z = hk.param "small" from f32 : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}
hk.packed @output : tensor<64x64xf32> {
  %z = hk.param "output" from f32 : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}
hk.packed @groups : tensor<192x512xf32> {
  %z = hk.param "groups" from f32 : tensor<192x512xf64>
  hk.yield %z : tensor<192x512xf64>
}

// A head a CTA. The normalised rows stay in registers; the keys and values of
// a unit's rows are published, and a unit goes over those that its rows see.
// Values that are not finite are published as zeros, with keys of NaN.

// CHECK-LABEL: tile.kernel @causal(
// CHECK-SAME:    !tile.tiles<32x128xf16, strip_columns = 16>
// CHECK:         %[[HEAD:.*]] = arith.remui %{{.*}}, %c4
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[ROW:.*]] = arith.muli %[[UNIT]], %c16
// CHECK:         tile.row_reduce
// CHECK:         %[[X:.*]] = tile.map %{{.*}} -> <16x128xf16, strip16>
// CHECK:         %[[AT:.*]] = arith.addi %[[HEAD]], %c4
// CHECK:         %[[WK:.*]] = tile.stage %{{.*}}[%[[AT]]]
// CHECK:         tile.mma %[[X]], %[[WK]]
// CHECK:         %[[AT:.*]] = arith.addi %[[HEAD]], %c8
// CHECK:         %[[WV:.*]] = tile.stage %{{.*}}[%[[AT]]]
// CHECK:         tile.mma %[[X]], %[[WV]]
// CHECK:         %[[V:.*]] = tile.map %{{.*}} -> <16x32xf16>
// CHECK:         tile.map %[[V]]
// CHECK:           arith.mulf %{{.*}}, %cst
// CHECK:         tile.row_reduce add
// CHECK:           arith.cmpf uno
// CHECK:         %[[ANY:.*]] = tile.vote any
// CHECK:         %[[SAFE:.*]]:2 = scf.if %[[ANY]]
// CHECK-COUNT-2:   arith.select
// CHECK:         %[[K:.*]] = tile.publish %[[SAFE]]#0 at(%[[ROW]], %c0) : <16x32xf16> -> <112x32xf16>
// CHECK:         %[[V:.*]] = tile.publish %[[SAFE]]#1 at(%[[ROW]], %c0)
// CHECK:         %[[WQ:.*]] = tile.stage %{{.*}}[%[[HEAD]]]
// CHECK:         tile.mma %[[X]], %[[WQ]]
// CHECK:         %[[Q:.*]] = tile.map %{{.*}} -> <16x32xf16>
// CHECK:         %[[END:.*]] = arith.addi %[[ROW]], %c16
// CHECK:         %[[LIMIT:.*]] = arith.minsi %[[END]], %c100
// CHECK:         %[[WHOLE:.*]] = arith.muli %{{.*}}, %c16
// CHECK:         scf.for %[[KEY:.*]] = %c0 to %[[WHOLE]] step %c16
// CHECK-NOT:       tile.stage
// CHECK:           tile.mma %[[Q]], %[[K]][%[[KEY]], %c0]
// CHECK-NOT:       tile.mask
// CHECK:           tile.mma %{{.*}}, %[[V]][%[[KEY]], %c0], %{{.*}} {transpose_b}
// CHECK:         scf.for %[[KEY:.*]] = %[[WHOLE]] to %[[LIMIT]] step %c16
// CHECK:           tile.mma %[[Q]], %[[K]][%[[KEY]], %c0]
// CHECK:           tile.mask %{{.*}} at(%[[ROW]], %[[KEY]]) keys(%[[LIMIT]]) {causal}
// CHECK-NOT:     tile.vote
// CHECK:         tile.store %{{.*}} : <16x32xf32>, memref<?x128xf32>
hk.executable @causal {
  hk.variant #heads grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : tensor<384x128xf32>
    %n = hk.rms_norm %x : !x
    %p = hk.linear %n, %w : !x, tensor<384x128xf32>
    %q, %k, %v = hk.split %p : tensor<?x100x384xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !x, !x, !x
    hk.yield %a : !x
  }
}

// Heads of 8 columns, as many at once as a block of 16 has columns for: their
// projection is one product, and each reads its columns of the published bufs.
// Every query sees every key: nothing is hidden from any.

// CHECK-LABEL: tile.kernel @small_heads(
// CHECK-SAME:    !tile.tiles<16x64xf16, strip_columns = 16>
// CHECK:         scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK-NOT:       tile.vote
// CHECK:           %[[K:.*]] = tile.publish {{.*}} -> <32x16xf16>
// CHECK:           %[[V:.*]] = tile.publish
// CHECK:           %[[Q:.*]] = tile.map %{{.*}} -> <16x16xf16>
// CHECK:           %[[Q0:.*]] = tile.slice %[[Q]][0] : <16x16xf16> -> <16x8xf16>
// CHECK:           tile.mma %[[Q0]], %[[K]][%c0, %c0]
// CHECK:           %[[Q1:.*]] = tile.slice %[[Q]][8]
// CHECK:           tile.mma %[[Q1]], %[[K]][%c0, %c8]
// CHECK:           tile.mma %{{.*}}, %[[V]][%c0, %c8]
// CHECK:           tile.concat
// CHECK:           tile.store %{{.*}} : <16x16xf32>, memref<?x64xf32>
hk.executable @small_heads {
  hk.variant #four grid(#grid) {
  ^bb0(%x: !s):
    %w = hk.packed.get @small : tensor<192x64xf32>
    %n = hk.rms_norm %x : !s
    %p = hk.linear %n, %w : !s, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x32x192xf32> -> !s, !s, !s
    %a = hk.attention %q, %k, %v {num_heads = 8 : i32} : !s, !s, !s
    hk.yield %a : !s
  }
}

// Heads that share keys: those are computed once, in one pass over an input
// that is wider than the registers of a warp, and read by one head after
// another.

// CHECK-LABEL: tile.kernel @shared(
// CHECK-SAME:    !tile.tiles<32x64xf16>
// CHECK:         %[[SUMS:.*]]:2 = scf.for
// CHECK-COUNT-2:   tile.mma
// CHECK:           scf.yield
// CHECK:         %[[K:.*]] = tile.publish {{.*}} -> <32x32xf16>
// CHECK:         tile.publish
// CHECK:         scf.for %[[HEAD:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK-NOT:       tile.publish
// CHECK:           tile.mma %{{.*}}, %[[K]][%c0, %c0]
hk.executable @shared {
  hk.variant #shared grid(#grid) {
  ^bb0(%x: !wide):
    %w = hk.packed.get @groups : tensor<192x512xf32>
    %p = hk.linear %x, %w : !wide, tensor<192x512xf32>
    %q, %k, %v = hk.split %p : tensor<?x32x192xf32> -> tensor<?x32x128xf32>, tensor<?x32x32xf32>, tensor<?x32x32xf32>
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, num_kv_heads = 1 : i32}
        : tensor<?x32x128xf32>, tensor<?x32x32xf32>, tensor<?x32x32xf32>
    hk.yield %a : tensor<?x32x128xf32>
  }
}

// In front of another operation the heads are blocks of its input.

// CHECK-LABEL: tile.kernel @layer(
// CHECK:         tile.publish
// CHECK:         tile.publish
// CHECK:         %[[C:.*]] = tile.concat
// CHECK:         %[[A:.*]] = tile.map %[[C]] : !tile.frag<16x64xf32> -> <16x64xf16>
// CHECK:         tile.mma %[[A]]
// CHECK:         tile.store
hk.executable @layer {
  hk.variant #all grid(#grid) {
  ^bb0(%x: !s):
    %w = hk.packed.get @small : tensor<192x64xf32>
    %u = hk.packed.get @output : tensor<64x64xf32>
    %n = hk.rms_norm %x : !s
    %p = hk.linear %n, %w : !s, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x32x192xf32> -> !s, !s, !s
    %a = hk.attention %q, %k, %v {num_heads = 8 : i32, causal} : !s, !s, !s
    %o = hk.linear %a, %u : !s, tensor<64x64xf32>
    %y = hk.add %x, %o : !s, !s
    hk.yield %y : !s
  }
}

// A query that is computed, of keys in memory: rows may be a part of the
// sequence.

// CHECK-LABEL: tile.kernel @query(
// CHECK:         tile.mma
// CHECK:         %[[Q:.*]] = tile.map %{{.*}} -> <16x32xf16>
// CHECK-NOT:     tile.publish
// CHECK:         scf.for
// CHECK:           %[[K:.*]] = tile.stage
// CHECK:           tile.mma %[[Q]], %[[K]][%c0, %c0]
#part = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1,
                 block = 64, depth = 64, keys = 64, stages = 2, operands = f16>
hk.executable @query {
  hk.variant #part grid(#grid) {
  ^bb0(%x: !x, %k: !h, %v: !h):
    %w = hk.packed.get @square : tensor<128x128xf32>
    %q = hk.linear %x, %w : !x, tensor<128x128xf32>
    %f = hk.cast %q : !x to !h
    %a = hk.attention %f, %k, %v {num_heads = 4 : i32, causal} : !h, !h, !h
    hk.yield %a : !h
  }
}

// Warps that multiply together go over the same keys: those that the rows of
// their warpgroup see.

// CHECK-LABEL: tile.kernel @warpgroups(
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[FIRST:.*]] = arith.muli %[[UNIT]], %c16
// CHECK:         tile.publish
// CHECK:         %[[GROUP:.*]] = arith.divui %[[UNIT]], %c4
// CHECK:         %[[ROW:.*]] = arith.muli %[[GROUP]], %c64
// CHECK:         %[[END:.*]] = arith.addi %[[ROW]], %c64
// CHECK:         %[[LIMIT:.*]] = arith.minsi %[[END]], %c100
// CHECK:         %[[SEEN:.*]] = arith.addi %[[ROW]], %c1
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[LIMIT]] step %c32
// CHECK:           tile.mask %{{.*}} at(%[[FIRST]], %{{.*}}) keys(%[[LIMIT]]) {causal}
#group = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 32, stages = 2,
                  operands = f16, mma = wgmma, ctas = 1>
hk.executable @warpgroups {
  hk.variant #group grid(#grid) {
  ^bb0(%x: !h):
    %w = hk.packed.get @w : tensor<384x128xf32>
    %f = hk.cast %x : !h to !x
    %p = hk.linear %f, %w : !x, tensor<384x128xf32>
    %q, %k, %v = hk.split %p : tensor<?x100x384xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !x, !x, !x
    hk.yield %a : !x
  }
}

// A CTA that has some rows of the sequence, the last of the sequence first. Its
// units go over the blocks of rows before its own, and fill one buf of all rows
// with keys, and one with values; its own rows come last, and its queries are
// computed with them.

// CHECK-LABEL: tile.kernel @rows(
// CHECK:         %[[REST:.*]] = arith.divui %{{.*}}, %c4
// CHECK:         %[[DIGIT:.*]] = arith.remui %[[REST]], %c4
// CHECK:         %[[BLOCK:.*]] = arith.subi %c3, %[[DIGIT]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c32
// CHECK:         %[[UNIT:.*]] = arith.muli %{{.*}}, %c16
// CHECK:         %[[OWN:.*]] = arith.addi %[[FIRST]], %[[UNIT]]
// CHECK:         %[[SEEN:.*]] = arith.addi %[[FIRST]], %c32
// CHECK:         %[[LIMIT:.*]] = arith.minsi %[[SEEN]], %c100
// CHECK:         %[[K:.*]] = tile.empty : <128x32xf16>
// CHECK:         %[[V:.*]] = tile.empty : <128x32xf16>
// CHECK:         %[[OTHERS:.*]] = arith.minsi %[[LIMIT]], %[[FIRST]]
// CHECK:         scf.for %[[FROM:.*]] = %c0 to %[[OTHERS]] step %c32 {
// CHECK:           %[[ROW:.*]] = arith.addi %[[FROM]], %[[UNIT]]
// CHECK:           tile.load
// CHECK:           tile.row_reduce
// CHECK-COUNT-2:   tile.mma
// CHECK:           tile.vote any
// CHECK:           tile.put %{{.*}} to %[[K]][%[[ROW]], %c0]
// CHECK:           tile.put %{{.*}} to %[[V]][%[[ROW]], %c0]
// CHECK:         }
// CHECK:         tile.load
// CHECK:         tile.row_reduce
// CHECK-COUNT-2: tile.mma
// CHECK:         tile.put %{{.*}} to %[[K]][%[[OWN]], %c0]
// CHECK:         tile.put %{{.*}} to %[[V]][%[[OWN]], %c0]
// CHECK-NOT:     tile.load
// CHECK:         tile.mma
// CHECK:         %[[Q:.*]] = tile.map %{{.*}} -> <16x32xf16>
// CHECK:         %[[END:.*]] = arith.addi %[[OWN]], %c16
// CHECK:         %[[KEYS:.*]] = arith.minsi %[[LIMIT]], %[[END]]
// CHECK:         scf.for %{{.*}} = %c0
// CHECK:           tile.mma %[[Q]], %[[K]]
// CHECK:         scf.for %[[KEY:.*]] = %{{.*}} to %[[KEYS]] step %c16
// CHECK:           tile.mma %[[Q]], %[[K]][%[[KEY]], %c0]
// CHECK:           tile.mask %{{.*}} at(%[[OWN]], %[[KEY]]) keys(%[[KEYS]]) {causal}
#rows = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 1,
                 block = 64, depth = 64, keys = 16, stages = 2, operands = f16>
#quarters = affine_map<()[B] -> (B * 16)>
hk.executable @rows {
  hk.variant #rows grid(#quarters) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : tensor<384x128xf32>
    %n = hk.rms_norm %x : !x
    %p = hk.linear %n, %w : !x, tensor<384x128xf32>
    %q, %k, %v = hk.split %p : tensor<?x100x384xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !x, !x, !x
    hk.yield %a : !x
  }
}

// Where every query sees every key, the other rows are those before its own and
// behind: of those behind, the loop skips its own.

// CHECK-LABEL: tile.kernel @rows_all(
// CHECK:         %[[FIRST:.*]] = arith.muli %{{.*}}, %c32
// CHECK:         %[[AMONG:.*]] = arith.cmpi slt, %[[FIRST]], %[[LIMIT:.*]] : index
// CHECK:         %[[BY:.*]] = arith.select %[[AMONG]], %c32, %c0
// CHECK:         %[[END:.*]] = arith.subi %[[LIMIT]], %[[BY]]
// CHECK:         scf.for %[[FROM:.*]] = %c0 to %[[END]] step %c32 {
// CHECK:           %[[BEHIND:.*]] = arith.cmpi sge, %[[FROM]], %[[FIRST]]
// CHECK:           %[[BY:.*]] = arith.select %[[BEHIND]], %c32, %c0
// CHECK:           %[[ROWS:.*]] = arith.addi %[[FROM]], %[[BY]]
// CHECK:           %[[ROW:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK:           tile.put %{{.*}} to %{{.*}}[%[[ROW]], %c0]
hk.executable @rows_all {
  hk.variant #rows grid(#quarters) {
  ^bb0(%x: !x, %n: tensor<?xi32>):
    %w = hk.packed.get @w : tensor<384x128xf32>
    %p = hk.linear %x, %w : !x, tensor<384x128xf32>
    %q, %k, %v = hk.split %p : tensor<?x100x384xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v lengths(%n) {num_heads = 4 : i32} : !x, !x, !x, tensor<?xi32>
    hk.yield %a : !x
  }
}
