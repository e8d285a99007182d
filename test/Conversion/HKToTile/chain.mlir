// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Several operations on the same rows: what is resident, what is computed by
// blocks.

#grid = affine_map<()[B] -> (B * 2)>
#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
              block = 64, depth = 64, keys = 64, stages = 3, operands = f16>

!x = tensor<?x100x128xf32>
!f = tensor<?x100x512xf32>
!w1 = tensor<512x128xf32>
!w2 = tensor<128x512xf32>
!w = tensor<128x128xf32>
!b1 = tensor<512xf32>
!b = tensor<128xf32>

hk.packed @g : !b {
  %z = hk.param "g" from f32 : tensor<128xf64>
  hk.yield %z : tensor<128xf64>
}
hk.packed @w : !w {
  %z = hk.param "w" from f32 : tensor<128x128xf64>
  hk.yield %z : tensor<128x128xf64>
}
hk.packed @w1 : !w1 {
  %z = hk.param "w1" from f32 : tensor<512x128xf64>
  hk.yield %z : tensor<512x128xf64>
}
hk.packed @b1 : !b1 {
  %z = hk.param "b1" from f32 : tensor<512xf64>
  hk.yield %z : tensor<512xf64>
}
hk.packed @w2 : !w2 {
  %z = hk.param "w2" from f32 : tensor<128x512xf64>
  hk.yield %z : tensor<128x512xf64>
}

// A norm, then features in blocks: the row is multiplied as it is in
// registers, rounded once for all blocks.

// CHECK-LABEL: tile.kernel @norm_up(
// CHECK-SAME:    !tile.tiles<64x128xf16, strip_rows = 32, strip_columns = 16>
// CHECK:         %[[X:.*]] = tile.load %{{.*}} -> <16x128xf32, strip16>
// CHECK:         tile.row_reduce add %[[X]] : <16x128xf32, strip16> -> <16x1xf32>
// CHECK:         math.rsqrt
// CHECK:         %[[N:.*]] = tile.map %[[X]],
// CHECK:         %[[A:.*]] = tile.map %[[N]]
// CHECK:           arith.truncf
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c1 {
// CHECK:           %[[T:.*]] = tile.stage %{{.*}}[%[[I]]]
// CHECK:           %[[S:.*]] = tile.mma %[[A]], %[[T]][%c0, %c0] : <16x128xf16, strip16>, <64x128xf16, strip_rows = 32, strip_columns = 16> -> <16x64xf32, strip32>
// CHECK:           tile.map %[[S]], %{{.*}} : !tile.frag<16x64xf32, strip32>, !tile.frag<1x64xf32, strip32> -> <16x64xf16, strip32>
// CHECK:             arith.addf
// CHECK:             math.erf
// CHECK:             arith.truncf
// CHECK:           tile.store
hk.executable @norm_up {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w1 : !w1
    %b = hk.packed.get @b1 : !b1
    %n = hk.layer_norm %x : !x
    %f = hk.linear %n, %w, %b : !x, !w1, !b1
    %a = hk.activation gelu_erf %f : !f
    %h = hk.cast %a : !f to tensor<?x100x512xf16>
    hk.yield %h : tensor<?x100x512xf16>
  }
}

// A feed-forward network: its hidden row is computed by blocks, each added to
// the sums of the second operation, which begin with the residual. The bias is
// added once. The sum is stored and normalised.

// CHECK-LABEL: tile.kernel @ffn(
// CHECK-SAME:    hk.packed = [@w1.t64x128.s32x16.f16, @b1, @w2.t128x64.s16x32.f16, @g]
// CHECK:         %[[X:.*]] = tile.load %{{.*}} -> <16x128xf32, strip16>
// CHECK:         %[[A:.*]] = tile.map %{{.*}} : !tile.frag<16x128xf32, strip16> -> <16x128xf16, strip16>
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args(%[[ACC:.*]] = %[[X]])
// CHECK:           %[[W1:.*]] = tile.stage %{{.*}}[%[[I]]] : !tile.tiles<64x128xf16, strip_rows = 32, strip_columns = 16>
// CHECK:           %[[F:.*]] = tile.mma %[[A]], %[[W1]]
// CHECK:           %[[G:.*]] = tile.map %[[F]], %{{.*}} -> <16x64xf16, strip32>
// CHECK:           %[[W2:.*]] = tile.stage %{{.*}}[%[[I]]] : !tile.tiles<128x64xf16, strip_rows = 16, strip_columns = 32>
// CHECK:           %[[NEXT:.*]] = tile.mma %[[G]], %[[W2]][%c0, %c0], %[[ACC]] : <16x64xf16, strip32>, <128x64xf16, strip_rows = 16, strip_columns = 32>, !tile.frag<16x128xf32, strip16> -> <16x128xf32, strip16>
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[Y:.*]] = tile.map %[[R]], %{{.*}} : !tile.frag<16x128xf32, strip16>, !tile.frag<1x128xf32, strip16> -> <16x128xf32, strip16>
// CHECK:         tile.store %[[Y]]
// CHECK:         tile.map %[[Y]]
// CHECK:         tile.row_reduce
// CHECK:         tile.store
hk.executable @ffn {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w1 = hk.packed.get @w1 : !w1
    %b1 = hk.packed.get @b1 : !b1
    %w2 = hk.packed.get @w2 : !w2
    %b2 = hk.packed.get @g : !b
    %n = hk.layer_norm %x : !x
    %f = hk.linear %n, %w1, %b1 : !x, !w1, !b1
    %a = hk.activation gelu_tanh %f : !f
    %d = hk.linear %a, %w2, %b2 : !f, !w2, !b
    %r = hk.add %d, %x : !x, !x
    %o = hk.rms_norm %r : !x
    hk.yield %r, %o : !x, !x
  }
}

// The sums of the second operation are held although nothing needs the row
// whole; the residual is loaded into them.

// CHECK-LABEL: tile.kernel @mlp(
// CHECK:         %[[C:.*]] = tile.load %{{.*}} : memref<?x128xf32> -> <16x128xf32, strip16>
// CHECK:         %[[A:.*]] = tile.load %{{.*}} : memref<?x128xf16> -> <16x128xf16>
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK:           tile.mma %[[A]],
// CHECK:           arith.maximumf
// CHECK:           tile.mma
// CHECK:         tile.store %[[R]]
hk.executable @mlp {
  hk.variant #s grid(#grid) {
  ^bb0(%h: tensor<?x100x128xf16>, %x: !x):
    %w1 = hk.packed.get @w1 : !w1
    %w2 = hk.packed.get @w2 : !w2
    %n = hk.cast %h : tensor<?x100x128xf16> to !x
    %f = hk.linear %n, %w1 : !x, !w1
    %a = hk.activation relu %f : !f
    %d = hk.linear %a, %w2 : !f, !w2
    %r = hk.add %d, %x : !x, !x
    hk.yield %r : !x
  }
}

// From memory to a norm: all sums at once, over steps of the input.

// CHECK-LABEL: tile.kernel @down_norm(
// CHECK-SAME:    !tile.tiles<128x64xf16, strip_rows = 16>
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %c0 to %c8 step %c1 iter_args
// CHECK:           %[[K:.*]] = arith.muli %[[I]], %c64
// CHECK:           %[[A:.*]] = tile.load %{{.*}}[%{{.*}}, %[[K]]] rows(%{{.*}}) : memref<?x512xf16> -> <16x64xf16>
// CHECK:           tile.mma %[[A]],
// CHECK:         tile.row_reduce add %[[R]]
hk.executable @down_norm {
  hk.variant #s grid(#grid) {
  ^bb0(%h: tensor<?x100x512xf16>, %x: !x):
    %w2 = hk.packed.get @w2 : !w2
    %a = hk.cast %h : tensor<?x100x512xf16> to !f
    %d = hk.linear %a, %w2 : !f, !w2
    %r = hk.add %x, %d : !x, !x
    %n = hk.layer_norm %r : !x
    hk.yield %n : !x
  }
}

// From registers to a norm: features in blocks, each added to its columns of
// the residual, and all held.

// CHECK-LABEL: tile.kernel @norm_linear_norm(
// CHECK-SAME:    !tile.tiles<64x128xf16, strip_rows = 16, strip_columns = 16>
// CHECK:         %[[C0:.*]] = tile.slice %[[X:.*]][0] : <16x128xf32, strip16> -> <16x64xf32, strip16>
// CHECK:         %[[S0:.*]] = tile.mma %[[A:[0-9]+]], %{{.*}}, %[[C0]]
// CHECK:         %[[C1:.*]] = tile.slice %[[X]][64]
// CHECK:         %[[S1:.*]] = tile.mma %[[A]], %{{.*}}, %[[C1]]
// CHECK:         %[[R:.*]] = tile.concat %[[S0]], %[[S1]]
// CHECK:         tile.row_reduce add %[[R]]
hk.executable @norm_linear_norm {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %n = hk.layer_norm %x : !x
    %d = hk.linear %n, %w : !x, !w
    %r = hk.add %x, %d : !x, !x
    %o = hk.layer_norm %r : !x
    hk.yield %o : !x
  }
}

// A value that two linear operations read is held.

// CHECK-LABEL: tile.kernel @shared(
// CHECK-COUNT-2: tile.mma
// CHECK:         %[[H:.*]] = tile.concat
// CHECK:         %[[A:.*]] = tile.map %[[H]] {{.*}} -> <16x128xf16, strip32>
// CHECK:         scf.for
// CHECK:           tile.mma %[[A]]
// CHECK:         tile.mma %[[A]]
hk.executable @shared {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %w1 = hk.packed.get @w1 : !w1
    %n = hk.rms_norm %x : !x
    %h = hk.linear %n, %w : !x, !w
    %f = hk.linear %h, %w1 : !x, !w1
    %d = hk.linear %h, %w : !x, !w
    hk.yield %f, %d : !f, !x
  }
}

// A gated network: two runs of features of one weight, in the same blocks.

// CHECK-LABEL: tile.kernel @gated(
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %c0 to %c4 step %c1
// CHECK:           tile.stage %{{.*}}[%[[I]]]
// CHECK:           %[[G:.*]] = tile.mma
// CHECK:           %[[T:.*]] = arith.addi %[[I]], %c4
// CHECK:           tile.stage %{{.*}}[%[[T]]]
// CHECK:           %[[U:.*]] = tile.mma
// CHECK:           %[[A:.*]] = tile.map %[[G]], %[[U]]
// CHECK:             math.exp
// CHECK:             arith.mulf
// CHECK:           tile.mma %[[A]], %{{.*}} : <16x64xf16, strip32>, <128x64xf16, strip_rows = 16, strip_columns = 32>
hk.packed @down : tensor<128x256xf32> {
  %z = hk.param "down" from f32 : tensor<128x256xf64>
  hk.yield %z : tensor<128x256xf64>
}
hk.executable @gated {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w1 = hk.packed.get @w1 : !w1
    %w2 = hk.packed.get @down : tensor<128x256xf32>
    %n = hk.rms_norm %x : !x
    %f = hk.linear %n, %w1 : !x, !w1
    %g, %u = hk.split %f
        : !f -> tensor<?x100x256xf32>, tensor<?x100x256xf32>
    %s = hk.activation silu %g : tensor<?x100x256xf32>
    %a = hk.mul %s, %u : tensor<?x100x256xf32>, tensor<?x100x256xf32>
    %d = hk.linear %a, %w2 : tensor<?x100x256xf32>, tensor<128x256xf32>
    %r = hk.add %d, %x : !x, !x
    hk.yield %r : !x
  }
}

// Columns of registers are known when the kernel is compiled: no loop.

// CHECK-LABEL: tile.kernel @post_norm(
// CHECK-NOT:     scf.for
// CHECK:         tile.mma
// CHECK:         tile.slice %{{.*}}[0]
// CHECK:         tile.store
// CHECK:         tile.mma
// CHECK:         tile.slice %{{.*}}[64]
// CHECK:         tile.store
hk.executable @post_norm {
  hk.variant #s grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %n = hk.rms_norm %x : !x
    %d = hk.linear %n, %w : !x, !w
    %a = hk.activation relu %d : !x
    %r = hk.add %a, %n : !x, !x
    hk.yield %r : !x
  }
}
