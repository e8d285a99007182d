// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// The online softmax of warpgroups and of warps: what a unit skips, and when its
// state is scaled.

#grid = affine_map<()[B] -> (B * 4)>
#group = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 64, stages = 2,
                  operands = f16, mma = wgmma, ctas = 1>
#warps = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 64, stages = 2,
                  operands = f16>

!w = tensor<?x256x64xf16>
!n = tensor<?x256x32xf16>

// Heads of 64 columns: all that was summed up is scaled only if a maximum of the
// unit grew by more than 8 exponents of 2 (8 / (log2(e) / 8) in scores). An
// exponent is one operation, of a score and what its row is compared with.

// CHECK-LABEL: tile.kernel @wide
// CHECK-SAME:    hk.ctas = 1 : i64
// CHECK-SAME:    hk.mma = "wgmma"
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 44.3614{{[0-9]*}} : f32
// CHECK-DAG:     %[[FACTOR:.*]] = arith.constant 0.1803368{{[0-9]*}} : f32
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant -0.1803368{{[0-9]*}} : f32
// The last rows, which see the most keys, come first.
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[BLOCK:.*]] = arith.remui %[[ITEM]], %c2
// CHECK:         %[[BACK:.*]] = arith.subi %c1, %[[BLOCK]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[BACK]], %c128
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         scf.for {{.*}} iter_args(%[[MAX:[a-z0-9]*]] = %{{.*}}, %[[SUM:[a-z0-9]*]] = %{{.*}}, %[[CONTEXT:[a-z0-9]*]] =
// CHECK:           %[[S:.*]] = tile.mma
// CHECK:           %[[TOP:.*]] = tile.row_reduce max %[[S]]
// CHECK:           %[[GREATER:.*]] = tile.map %[[TOP]], %[[MAX]]
// CHECK-NEXT:      ^bb0(%[[T:.*]]: f32, %[[M:.*]]: f32):
// CHECK-NEXT:        %[[MOST:.*]] = arith.addf %[[M]], %[[LIMIT]]
// CHECK-NEXT:        arith.cmpf ogt, %[[T]], %[[MOST]]
// CHECK:           %[[ANY:.*]] = tile.vote any %[[GREATER]]
// CHECK:           %[[STATE:.*]]:3 = scf.if %[[ANY]]
// CHECK:             arith.maxnumf
// CHECK:             tile.map %[[SUM]]
// CHECK:             tile.map %[[CONTEXT]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[MAX]], %[[SUM]], %[[CONTEXT]]
// CHECK:           %[[OFFSET:.*]] = tile.map %[[STATE]]#0
// CHECK:             arith.mulf %{{.*}}, %[[MINUS]]
// CHECK:           tile.map %[[S]], %[[OFFSET]]
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT:        %[[E:.*]] = math.fma %[[X]], %[[FACTOR]], %[[O]]
// CHECK-NEXT:        math.exp2 %[[E]]
// CHECK:           tile.mma %{{.*}}, %{{.*}}[%c0, %c0], %[[STATE]]#2 {transpose_b}
// Blocks with the diagonal: a warpgroup stops together, behind its last row.
// CHECK:         scf.for %[[KEY:[a-z0-9]*]] =
// CHECK:           %[[GROUP:.*]] = arith.divui %[[UNIT]], %c4
// CHECK:           %[[ROWS:.*]] = arith.muli %[[GROUP]], %c64
// CHECK:           %[[BEGIN:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK:           %[[END:.*]] = arith.addi %[[BEGIN]], %c64
// CHECK:           %[[SEEN:.*]] = arith.cmpi slt, %[[KEY]], %[[END]]
// CHECK:           scf.if %[[SEEN]]
// CHECK:             tile.mask
hk.executable @wide {
  hk.variant #group grid(#grid) {
  ^bb0(%q: !w, %k: !w, %v: !w):
    %a = hk.attention %q, %k, %v {num_heads = 1 : i32, causal} : !w, !w, !w
    hk.yield %a : !w
  }
}

// Narrower heads are scaled in each block, without a branch; and a warp stops
// behind its own last row.

// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT:     hk.mma
// CHECK-NOT:     hk.ctas
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[MINE:.*]] = arith.muli %[[UNIT]], %c16
// CHECK:         %[[ROW:.*]] = arith.addi %{{.*}}, %[[MINE]]
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tile.mma
// CHECK:           tile.row_reduce max %[[S]]
// CHECK-NOT:       tile.vote
// CHECK:           tile.mma {{.*}} {transpose_b}
// CHECK:         scf.for %[[KEY:[a-z0-9]*]] =
// CHECK:           %[[END:.*]] = arith.addi %[[ROW]], %c16
// CHECK:           arith.cmpi slt, %[[KEY]], %[[END]]
hk.executable @narrow {
  hk.variant #warps grid(#grid) {
  ^bb0(%q: !n, %k: !n, %v: !n):
    %a = hk.attention %q, %k, %v {num_heads = 1 : i32, causal} : !n, !n, !n
    hk.yield %a : !n
  }
}

// All queries see all keys: blocks come in their order.
// CHECK-LABEL: tile.kernel @all
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[BLOCK:.*]] = arith.remui %[[ITEM]], %c2
// CHECK-NOT:     arith.subi
// CHECK:         arith.muli %[[BLOCK]], %c128
hk.executable @all {
  hk.variant #warps grid(#grid) {
  ^bb0(%q: !n, %k: !n, %v: !n):
    %a = hk.attention %q, %k, %v {num_heads = 1 : i32} : !n, !n, !n
    hk.yield %a : !n
  }
}

// Blocks of rows in pairs, one from each end, of three: the second CTA has the one
// in the middle. A block of 128 keys is wider than a warpgroup has rows. Where its
// last rows are those that see the whole block, only the last 64 columns are
// compared, with the query; else 64 keys at a time, as far as a row sees one.

#half = affine_map<()[B] -> (B * 2)>
#pairs = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                  heads = 1, block = 64, depth = 64, keys = 128, stages = 4,
                  operands = f16, mma = wgmma, ctas = 1, row_blocks = 2>
!l = tensor<?x300x64xf16>

// CHECK-LABEL: tile.kernel @pairs
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[PAIR:.*]] = arith.remui %[[ITEM]], %c2
// CHECK:         %[[SEQUENCE:.*]] = arith.divui %[[ITEM]], %c2
// CHECK:         %[[LAST:.*]] = arith.subi %c2, %[[PAIR]]
// CHECK:         %[[BOTH:.*]] = arith.cmpi ult, %[[PAIR]], %[[LAST]]
// CHECK:         %[[COUNT:.*]] = arith.select %[[BOTH]], %c2, %c1
// CHECK:         scf.for %[[NUMBER:[a-z0-9]*]] = %c0 to %[[COUNT]] step %c1
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %c0
// CHECK:           %[[BLOCK:.*]] = arith.select %[[FIRST]], %[[LAST]], %[[PAIR]]
// CHECK:           %[[QUERY:.*]] = arith.muli %[[BLOCK]], %c128
// CHECK:           scf.for
// CHECK-NOT:         tile.mask
// CHECK:             scf.yield
// CHECK:           scf.for %[[FROM:[a-z0-9]*]] =
// CHECK:             %[[NEXT:.*]] = arith.addi %[[FROM]], %c128
// CHECK:             %[[WHOLE:.*]] = arith.cmpi sle, %[[NEXT]], %
// CHECK:             scf.if %[[WHOLE]]
// CHECK:               %[[SCORES:.*]] = tile.mma {{.*}} -> <16x128xf32>
// CHECK:               %[[TAIL:.*]] = tile.slice %[[SCORES]][64]
// CHECK:               %[[COLUMN:.*]] = arith.addi %[[FROM]], %c64
// CHECK:               tile.mask %[[TAIL]] at(%{{.*}}, %[[COLUMN]]) {causal} : <16x64xf32>
// CHECK:             } else {
// CHECK:               %[[END:.*]] = arith.minsi %{{.*}}, %[[NEXT]]
// CHECK:               scf.for %[[KEY:[a-z0-9]*]] = %[[FROM]] to %[[END]] step %c64
// CHECK:                 %[[ROW:.*]] = arith.subi %[[KEY]], %[[FROM]]
// CHECK:                 tile.mma %{{.*}}, %{{.*}}[%[[ROW]], %c0] {{.*}} -> <16x64xf32>
// CHECK:                 tile.mask %{{.*}} at(%{{.*}}, %[[KEY]]) keys(%{{.*}}) {causal}
// CHECK:                 tile.mma %{{.*}}, %{{.*}}[%[[ROW]], %c0], %{{.*}} {transpose_b}
hk.executable @pairs {
  hk.variant #pairs grid(#half) {
  ^bb0(%q: !l, %k: !l, %v: !l):
    %a = hk.attention %q, %k, %v {num_heads = 1 : i32, causal} : !l, !l, !l
    hk.yield %a : !l
  }
}
