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
// CHECK-DAG:     %[[MOST_SUM:.*]] = arith.constant 4.096000e+03 : f32
// The last rows, which see the most keys, come first.
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[BLOCK:.*]] = arith.remui %[[ITEM]], %c2
// CHECK:         %[[BACK:.*]] = arith.subi %c1, %[[BLOCK]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[BACK]], %c128
// CHECK:         %[[UNIT:.*]] = tile.unit
// Blocks with the diagonal come first: a warpgroup stops together, behind its last
// row.
// CHECK:         %[[DIAGONAL:.*]]:3 = scf.for %[[KEY:[a-z0-9]*]] = %[[WHOLE:.*]] to {{.*}} iter_args(%[[MAX:[a-z0-9]*]] = %{{.*}}, %[[SUM:[a-z0-9]*]] = %{{.*}}, %[[CONTEXT:[a-z0-9]*]] =
// CHECK:           %[[GROUP:.*]] = arith.divui %[[UNIT]], %c4
// CHECK:           %[[ROWS:.*]] = arith.muli %[[GROUP]], %c64
// CHECK:           %[[BEGIN:.*]] = arith.addi %[[FIRST]], %[[ROWS]]
// CHECK:           %[[END:.*]] = arith.addi %[[BEGIN]], %c64
// CHECK:           %[[SEEN:.*]] = arith.cmpi slt, %[[KEY]], %[[END]]
// CHECK:           scf.if %[[SEEN]]
// CHECK:             %[[ALL:.*]] = tile.mma
// CHECK:             %[[S:.*]] = tile.mask %[[ALL]]
// CHECK:             %[[TOP:.*]] = tile.row_reduce max %[[S]]
// CHECK:             %[[GREATER:.*]] = tile.map %[[TOP]], %[[MAX]]
// CHECK-NEXT:        ^bb0(%[[T:.*]]: f32, %[[M:.*]]: f32):
// CHECK-NEXT:          %[[MOST:.*]] = arith.addf %[[M]], %[[LIMIT]]
// CHECK-NEXT:          arith.cmpf ogt, %[[T]], %[[MOST]]
// CHECK:             %[[ANY:.*]] = tile.vote any %[[GREATER]]
// CHECK:             %[[STATE:.*]]:3 = scf.if %[[ANY]]
// CHECK:               arith.maxnumf
// CHECK:               tile.map %[[SUM]]
// CHECK:               tile.map %[[CONTEXT]]
// CHECK:             } else {
// CHECK-NEXT:          scf.yield %[[MAX]], %[[SUM]], %[[CONTEXT]]
// CHECK:             %[[OFFSET:.*]] = tile.map %[[STATE]]#0
// CHECK:               arith.mulf %{{.*}}, %[[MINUS]]
// CHECK:             tile.map %[[S]], %[[OFFSET]]
// CHECK-NEXT:        ^bb0(%[[X:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT:          %[[E:.*]] = math.fma %[[X]], %[[FACTOR]], %[[O]]
// CHECK-NEXT:          math.exp2 %[[E]]
// CHECK:             tile.mma %{{.*}}, %{{.*}}[%c0, %c0], %[[STATE]]#2 {transpose_b}
// Whole blocks take the maximum there is. Only where the sum of a block is far
// above it, they look for theirs, and all is computed again.
// CHECK:         scf.for %{{.*}} = %c0 to %[[WHOLE]] {{.*}} iter_args(%[[MAX:[a-z0-9]*]] = %[[DIAGONAL]]#0, %[[SUM:[a-z0-9]*]] = %[[DIAGONAL]]#1, %[[CONTEXT:[a-z0-9]*]] = %[[DIAGONAL]]#2)
// CHECK:           %[[S:.*]] = tile.mma
// CHECK-NOT:       tile.row_reduce
// CHECK:           %[[OFFSET:.*]] = tile.map %[[MAX]]
// CHECK:           tile.map %[[S]], %[[OFFSET]]
// CHECK:           %[[ADDED:.*]] = tile.map %{{.*}} -> <16x8xf32>
// CHECK:           %[[POWERS:.*]] = tile.map %{{.*}} -> <16x64xf16>
// CHECK:           %[[LARGE:.*]] = tile.map %[[ADDED]]
// CHECK-NEXT:      ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:        arith.cmpf ogt, %[[X]], %[[MOST_SUM]]
// CHECK:           %[[ANY:.*]] = tile.vote any %[[LARGE]] : <16x8xi1>
// CHECK:           %[[NEW:.*]] = tile.map %[[SUM]], %[[ADDED]]
// CHECK:           %[[BLOCK:.*]]:4 = scf.if %[[ANY]]
// CHECK:             %[[TOP:.*]] = tile.row_reduce max %[[S]]
// CHECK:             tile.map %[[MAX]], %[[TOP]]
// CHECK:             tile.map %[[SUM]]
// CHECK:             tile.map %[[CONTEXT]]
// CHECK:             tile.map %[[S]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[MAX]], %[[NEW]], %[[CONTEXT]], %[[POWERS]]
// CHECK:           tile.mma %[[BLOCK]]#3, %{{.*}}[%c0, %c0], %[[BLOCK]]#2 {transpose_b}
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

// A persistent CTA: items in turns, to and fro. First those of the early runs (of
// heads and sequences), block after block; then those of the late ones, the
// longest first.

#items = affine_map<()[B] -> (B * 6)>
#persistent = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                       heads = 1, block = 64, depth = 64, keys = 128,
                       stages = 4, operands = f16, mma = wgmma, ctas = 1,
                       persistent = true>
!p = tensor<?x300x128xf16>

// CHECK-LABEL: tile.kernel @persistent
// CHECK-SAME:    %[[BATCH:[a-z0-9]*]]: index)
// CHECK:         %[[CTA:.*]] = tile.item
// CHECK:         %[[CTAS:.*]] = tile.ctas
// CHECK:         %[[RUNS:.*]] = arith.muli %[[BATCH]], %c2
// CHECK:         %[[TWO:.*]] = arith.muli %[[CTAS]], %c2
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[BATCH]], %c6
// CHECK:         %[[PAIRS:.*]] = arith.divui %[[ITEMS]], %[[TWO]]
// CHECK:         %[[SOME:.*]] = arith.maxui %[[PAIRS]], %c1
// CHECK:         %[[LESS:.*]] = arith.addi %[[SOME]], %c-1
// CHECK:         %[[FULL:.*]] = arith.muli %[[LESS]], %[[TWO]]
// CHECK:         %[[EARLY:.*]] = arith.divui %[[FULL]], %c3
// CHECK:         %[[LATE:.*]] = arith.subi %[[RUNS]], %[[EARLY]]
// CHECK:         scf.for %[[N:[a-z0-9]*]] = %c0 to
// CHECK:           %[[IS_EARLY:.*]] = arith.cmpi ult, %[[N]], %[[TURNS:.*]]
// CHECK:           %[[REST:.*]] = arith.subi %[[N]], %[[TURNS]]
// CHECK:           %[[TURN:.*]] = arith.select %[[IS_EARLY]], %[[N]], %[[REST]]
// CHECK:           %[[FROM:.*]] = arith.muli %[[TURN]], %[[CTAS]]
// CHECK:           %[[PLACE:.*]] = arith.select %{{.*}}, %[[CTA]], %{{.*}}
// CHECK:           %[[ITEM:.*]] = arith.addi %[[FROM]], %[[PLACE]]
// CHECK:           %[[BOTH:.*]]:2 = scf.if %[[IS_EARLY]]
// CHECK:             %[[R:.*]] = arith.divui %[[ITEM]], %c3
// CHECK:             %[[B:.*]] = arith.remui %[[ITEM]], %c3
// CHECK:             scf.yield %[[R]], %[[B]]
// CHECK:           } else {
// CHECK:             %[[L:.*]] = arith.remui %[[ITEM]], %[[LATE]]
// CHECK:             %[[R:.*]] = arith.addi %[[EARLY]], %[[L]]
// CHECK:             %[[B:.*]] = arith.divui %[[ITEM]], %[[LATE]]
// CHECK:             scf.yield %[[R]], %[[B]]
// CHECK:           arith.remui %[[BOTH]]#0, %c2
// CHECK:           arith.divui %[[BOTH]]#0, %c2
// CHECK:           arith.subi %c2, %[[BOTH]]#1
hk.executable @persistent {
  hk.variant #persistent grid(#items) {
  ^bb0(%q: !p, %k: !p, %v: !p):
    %a = hk.attention %q, %k, %v {num_heads = 2 : i32, causal} : !p, !p, !p
    hk.yield %a : !p
  }
}
