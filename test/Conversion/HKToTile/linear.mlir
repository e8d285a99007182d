// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// One linear operation and what follows it.

#grid = affine_map<()[B] -> (B)>
#gemm = #hk.cuda<arch = "sm_90a", rows = 128, units = 4, columns = 128,
                 heads = 0, block = 128, depth = 64, keys = 64, stages = 3,
                 operands = f16>
#rows = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
                 block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#exact = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 64,
                  heads = 0, block = 64, depth = 32, keys = 64, stages = 3,
                  operands = tf32x3>

hk.packed @w layers(0 to 2) : tensor<384x256xf32> {
^bb0(%l: index):
  %z = hk.param "l.{}.w"[%l] from f32 : tensor<384x256xf64>
  hk.yield %z : tensor<384x256xf64>
}
hk.packed @b : tensor<384xf32> {
  %z = hk.param "b" from f32 : tensor<384xf64>
  hk.yield %z : tensor<384xf64>
}
hk.packed @wodd : tensor<100x40xf32> {
  %z = hk.param "odd" from f32 : tensor<100x40xf64>
  hk.yield %z : tensor<100x40xf64>
}
hk.packed @wide : tensor<160x100xf32> {
  %z = hk.param "wide" from f32 : tensor<160x100xf64>
  hk.yield %z : tensor<160x100xf64>
}

// The weight in tiles, rounded once from what it is computed in.

// CHECK:       hk.packed @w layers(0 to 2) : tensor<384x256xf32> {
// CHECK:       hk.packed @w.t128x64.s16x8.f16 layers(0 to 2) : tensor<384x256xf16, #hk.tiles<rows = 128, columns = 64, strip_rows = 16>> {
// CHECK-NEXT:  ^bb0(%[[L:.*]]: index):
// CHECK-NEXT:    %[[W:.*]] = hk.param "l.{}.w"[%[[L]]] from f32 : tensor<384x256xf64>
// CHECK-NEXT:    %[[P:.*]] = hk.pack.layout %[[W]] : tensor<384x256xf64> -> tensor<384x256xf64, #hk.tiles<rows = 128, columns = 64, strip_rows = 16>>
// CHECK-NEXT:    hk.yield %[[P]]

// A CTA computes 128 features, the last digit of its number. What is added is
// where the sums begin; bias, function and mask are one map. Input of f16 is
// multiplied as it is.

// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME:    %[[X:.*]]: memref<?x256xf16>, %[[R:.*]]: memref<?x384xf32>, %[[M:.*]]: memref<?xi8>, %[[Y:.*]]: memref<?x384xf32>, %[[W:.*]]: !tile.tiles<128x64xf16, strip_rows = 16>, %[[B:.*]]: memref<384xf32> {tile.constant}, %{{.*}}: index)
// CHECK-SAME:    hk.packed = [@w.t128x64.s16x8.f16, @b]
// CHECK:         %[[PART:.*]] = arith.remui %{{.*}}, %c3
// CHECK:         tile.unit
// CHECK:         %[[ROW:.*]] = arith.addi
// CHECK:         %[[VALID:.*]] = tile.load %[[M]][%[[ROW]]]
// CHECK:         %[[N:.*]] = arith.muli %[[PART]], %c128
// CHECK:         %[[C:.*]] = tile.load %[[R]][%[[ROW]], %[[N]]] rows(%{{.*}}) : memref<?x384xf32> -> <32x128xf32, strip16>
// CHECK:         %[[SUMS:.*]] = scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.*]] = %[[C]])
// CHECK:           %[[COLUMN:.*]] = arith.muli %[[K]], %c64
// CHECK:           %[[A:.*]] = tile.load %[[X]][%[[ROW]], %[[COLUMN]]] rows(%{{.*}}) : memref<?x256xf16> -> <32x64xf16>
// CHECK:           %[[T0:.*]] = arith.muli %[[PART]], %c4
// CHECK:           %[[T:.*]] = arith.addi %[[T0]], %[[K]]
// CHECK:           %[[TILE:.*]] = tile.stage %[[W]][%[[T]]] : !tile.tiles<128x64xf16, strip_rows = 16> -> <128x64xf16, strip_rows = 16>
// CHECK:           %[[NEXT:.*]] = tile.mma %[[A]], %[[TILE]][%c0, %c0], %[[ACC]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[BIAS:.*]] = tile.load %[[B]][%[[N]]] : memref<384xf32> -> <1x128xf32, strip16>
// CHECK:         %[[V:.*]] = tile.map %[[VALID]], %[[SUMS]], %[[BIAS]]
// CHECK:           math.erf %{{.*}} fastmath<contract,afn>
// CHECK:           arith.select
// CHECK:         tile.store %[[V]] to %[[Y]][%[[ROW]], %[[N]]]
hk.executable @gemm {
  hk.variant #gemm grid(#grid) {
  ^bb0(%h: tensor<?x100x256xf16>, %r: tensor<?x100x384xf32>,
       %m: tensor<?x100xi1>, %l: index):
    %w = hk.packed.get @w[%l] : tensor<384x256xf32>
    %b = hk.packed.get @b : tensor<384xf32>
    %x = hk.cast %h : tensor<?x100x256xf16> to tensor<?x100x256xf32>
    %y = hk.linear %x, %w, %b
        : tensor<?x100x256xf32>, tensor<384x256xf32>, tensor<384xf32>
    %a = hk.add %r, %y : tensor<?x100x384xf32>, tensor<?x100x384xf32>
    %g = hk.activation gelu_erf %a : tensor<?x100x384xf32>
    %z = hk.mask_rows %g key_mask(%m)
        : tensor<?x100x384xf32>, tensor<?x100xi1>
    hk.yield %z : tensor<?x100x384xf32>
  }
}

// 100 features are less than a run: one CTA for all, a tile of 104. 40 input
// features are less than a step. Sums that begin with zero.

// CHECK-LABEL: tile.kernel @odd(
// CHECK-SAME:    !tile.tiles<104x40xf16>
// CHECK-NOT:     tile.item{{.*}}remui
// CHECK:         %[[ZERO:.*]] = tile.splat %{{.*}} -> <32x104xf32>
// CHECK:         %[[X:.*]] = tile.load %{{.*}} : memref<?x40xf32> -> <32x40xf32>
// CHECK:         %[[A:.*]] = tile.map %[[X]] {{.*}} -> <32x40xf16>
// CHECK:         tile.mma %[[A]], %{{.*}}, %[[ZERO]]
// CHECK-NOT:     tile.mma
// CHECK:         tile.store %{{.*}} columns(100) : <32x104xf32>, memref<?x100xf32>
hk.executable @odd {
  hk.variant #gemm grid(#grid) {
  ^bb0(%x: tensor<?x100x40xf32>):
    %w = hk.packed.get @wodd : tensor<100x40xf32>
    %y = hk.linear %x, %w : tensor<?x100x40xf32>, tensor<100x40xf32>
    hk.yield %y : tensor<?x100x100xf32>
  }
}

// What is left over after steps of 64, and a function of the input. The last
// run of features is shorter than the others, and stores no more than there
// is.

// CHECK-LABEL: tile.kernel @tail(
// CHECK-SAME:    !tile.tiles<128x64xf16, strip_rows = 16>
// CHECK:         tile.load %{{.*}}[%{{.*}}, %c0] rows(%{{.*}}) : memref<?x100xf32> -> <32x64xf32>
// CHECK:         %[[A0:.*]] = tile.map
// CHECK:           arith.maximumf
// CHECK:           arith.truncf
// CHECK:         %[[S:.*]] = tile.mma %[[A0]], %{{.*}}[%c0, %c0], %{{.*}} : <32x64xf16>
// CHECK:         tile.load %{{.*}}[%{{.*}}, %c64] rows(%{{.*}}) columns(36) : memref<?x100xf32> -> <32x40xf32>
// CHECK:         %[[A1:.*]] = tile.map
// CHECK:         %[[T:.*]] = arith.addi %{{.*}}, %c1
// CHECK:         tile.stage %{{.*}}[%[[T]]]
// CHECK:         %[[Y:.*]] = tile.mma %[[A1]], %{{.*}}[%c0, %c0], %[[S]] : <32x40xf16>
// CHECK:         %[[N:.*]] = arith.muli %{{.*}}, %c128
// CHECK:         tile.store %[[Y]] to %{{.*}}[%{{.*}}, %[[N]]] rows(%{{[^)]*}}) : <32x128xf32, strip16>, memref<?x160xf32>
hk.executable @tail {
  hk.variant #gemm grid(#grid) {
  ^bb0(%x: tensor<?x100x100xf32>):
    %w = hk.packed.get @wide : tensor<160x100xf32>
    %r = hk.activation relu %x : tensor<?x100x100xf32>
    %y = hk.linear %r, %w : tensor<?x100x100xf32>, tensor<160x100xf32>
    hk.yield %y : tensor<?x100x160xf32>
  }
}

// All features of a row: the input is loaded once, and features are computed
// in blocks of 64, the last of 32.

// CHECK-LABEL: tile.kernel @rows(
// CHECK-SAME:    !tile.tiles<64x104xf16, strip_rows = 16>
// CHECK:         %[[X:.*]] = tile.load %{{.*}}[%{{.*}}, %c0] rows(%{{.*}}) columns(100) : memref<?x100xf32> -> <16x104xf32>
// CHECK:         %[[A:.*]] = tile.map %[[X]]
// CHECK:         %[[Y0:.*]] = tile.mma %[[A]], %{{.*}} : <16x104xf16>, <64x104xf16, strip_rows = 16> -> <16x64xf32, strip16>
// CHECK:         tile.store %[[Y0]] to %{{.*}}[%{{.*}}, %c0]
// CHECK:         %[[Y1:.*]] = tile.mma %[[A]],
// CHECK:         tile.store %[[Y1]] to %{{.*}}[%{{.*}}, %c64]
// CHECK:         %[[Y2:.*]] = tile.mma %[[A]], %{{.*}} : <16x104xf16>, <64x104xf16, strip_rows = 16> -> <16x32xf32, strip16>
// CHECK:         tile.store %[[Y2]] to %{{.*}}[%{{.*}}, %c128]
hk.executable @rows {
  hk.variant #rows grid(#grid) {
  ^bb0(%x: tensor<?x100x100xf32>):
    %w = hk.packed.get @wide : tensor<160x100xf32>
    %y = hk.linear %x, %w : tensor<?x100x100xf32>, tensor<160x100xf32>
    hk.yield %y : tensor<?x100x160xf32>
  }
}

// Two results of the same blocks share the sums.

// CHECK-LABEL: tile.kernel @two(
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = tile.mma
// CHECK:           tile.map %[[S]]
// CHECK:             math.tanh
// CHECK:           tile.store
// CHECK:           tile.store %[[S]]
// CHECK-NOT:     tile.mma
hk.executable @two {
  hk.variant #rows grid(#grid) {
  ^bb0(%x: tensor<?x100x256xf32>, %l: index):
    %w = hk.packed.get @w[%l] : tensor<384x256xf32>
    %y = hk.linear %x, %w : tensor<?x100x256xf32>, tensor<384x256xf32>
    %a = hk.activation gelu_tanh %y : tensor<?x100x384xf32>
    hk.yield %a, %y : tensor<?x100x384xf32>, tensor<?x100x384xf32>
  }
}

// As exact as f32: tiles of f32, and products of parts. The input is columns
// of a wider one.

// CHECK-LABEL: tile.kernel @exact(
// CHECK-SAME:    !tile.tiles<64x32xf32>
// CHECK:         scf.for
// CHECK:           %[[K:.*]] = arith.muli %{{.*}}, %c32
// CHECK:           %[[C:.*]] = arith.addi %[[K]], %c44
// CHECK:           %[[A:.*]] = tile.load %{{.*}}[%{{.*}}, %[[C]]] rows(%{{.*}}) : memref<?x300xf32> -> <16x32xf32>
// CHECK:           tile.mma %[[A]], %{{.*}} {split} : <16x32xf32>, <64x32xf32>
hk.executable @exact {
  hk.variant #exact grid(#grid) {
  ^bb0(%x: tensor<?x100x300xf32>, %l: index):
    %w = hk.packed.get @w[%l] : tensor<384x256xf32>
    %0, %1 = hk.split %x
        : tensor<?x100x300xf32> -> tensor<?x100x44xf32>, tensor<?x100x256xf32>
    %y = hk.linear %1, %w : tensor<?x100x256xf32>, tensor<384x256xf32>
    hk.yield %y : tensor<?x100x384xf32>
  }
}

// A gate: two runs of features of one weight, in tiles that begin where the
// second run does.

// CHECK-LABEL: tile.kernel @gate(
// CHECK-SAME:    !tile.tiles<32x64xf16, strip_rows = 32>
// CHECK:         scf.for
// CHECK:         scf.for {{.*}} -> (!tile.frag<32x128xf32, strip32>)
// CHECK-COUNT-4:   tile.stage
// CHECK:           tile.concat
// CHECK:         tile.map
// CHECK:           arith.mulf
// CHECK:         tile.store %{{.*}} : <32x128xf16, strip32>, memref<?x160xf16>
hk.packed @gates : tensor<320x256xf32> {
  %z = hk.param "gates" from f32 : tensor<320x256xf64>
  hk.yield %z : tensor<320x256xf64>
}
hk.executable @gate {
  hk.variant #gemm grid(#grid) {
  ^bb0(%x: tensor<?x100x256xf32>):
    %w = hk.packed.get @gates : tensor<320x256xf32>
    %y = hk.linear %x, %w : tensor<?x100x256xf32>, tensor<320x256xf32>
    %0, %1 = hk.split %y
        : tensor<?x100x320xf32> -> tensor<?x100x160xf32>, tensor<?x100x160xf32>
    %s = hk.activation silu %0 : tensor<?x100x160xf32>
    %z = hk.mul %s, %1 : tensor<?x100x160xf32>, tensor<?x100x160xf32>
    %h = hk.cast %z : tensor<?x100x160xf32> to tensor<?x100x160xf16>
    hk.yield %h : tensor<?x100x160xf16>
  }
}
