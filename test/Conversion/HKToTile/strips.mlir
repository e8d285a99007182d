// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Which values lie in registers as strips, and in which order weights are
// packed for that.

#grid = affine_map<()[B] -> (B)>
#half = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#narrow = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 16, depth = 16, keys = 64, stages = 3, operands = f16>
#word = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = tf32>

hk.packed @w : tensor<128x128xf32> {
  %w = hk.param "w" from f32 : tensor<128x128xf64>
  hk.yield %w : tensor<128x128xf64>
}
hk.packed @w80 : tensor<80x80xf32> {
  %w = hk.param "w80" from f32 : tensor<80x80xf64>
  hk.yield %w : tensor<80x80xf64>
}
hk.packed @w40 : tensor<40x40xf32> {
  %w = hk.param "w40" from f32 : tensor<40x40xf64>
  hk.yield %w : tensor<40x40xf64>
}
hk.packed @deep : tensor<128x512xf32> {
  %w = hk.param "deep" from f32 : tensor<128x512xf64>
  hk.yield %w : tensor<128x512xf64>
}

// The input is of 16 bits, and nothing else meets it: 32. What the sum of f32
// and the norm are is 16, and so is f16 that is computed from it.
// CHECK-DAG:   hk.packed @w.t128x64.s16x32.f16 : tensor<128x128xf16, #hk.tiles<rows = 128, columns = 64, strip_rows = 16, strip_columns = 32>>
// CHECK-LABEL: tile.kernel @residual
// CHECK:         tile.load %{{.*}} : memref<?x128xf32> -> <16x128xf32, strip16>
// CHECK:         tile.load %{{.*}} : memref<?x128xf16> -> <16x64xf16, strip32>
// CHECK:         tile.mma %{{.*}} : <16x64xf16, strip32>, <128x64xf16, strip_rows = 16, strip_columns = 32>, !tile.frag<16x128xf32, strip16> -> <16x128xf32, strip16>
// CHECK:         tile.store %{{.*}} : <16x128xf32, strip16>, memref<?x128xf32>
// CHECK:         tile.row_reduce add %{{.*}} : <16x128xf32, strip16> -> <16x1xf32>
// CHECK:         tile.store %{{.*}} : <16x64xf16, strip16>, memref<?x128xf16>
hk.executable @residual {
  hk.variant #half grid(#grid) {
  ^bb0(%c: tensor<?x64x128xf16>, %x: tensor<?x64x128xf32>):
    %a = hk.cast %c : tensor<?x64x128xf16> to tensor<?x64x128xf32>
    %w = hk.packed.get @w : tensor<128x128xf32>
    %l = hk.linear %a, %w : tensor<?x64x128xf32>, tensor<128x128xf32>
    %s = hk.add %x, %l : tensor<?x64x128xf32>, tensor<?x64x128xf32>
    %n = hk.layer_norm %s : tensor<?x64x128xf32>
    %h = hk.cast %n : tensor<?x64x128xf32> to tensor<?x64x128xf16>
    hk.yield %s, %h : tensor<?x64x128xf32>, tensor<?x64x128xf16>
  }
}

// 80 columns are whole strips of 16 alone.
// CHECK-LABEL: tile.kernel @eighty
// CHECK:         tile.mma %{{.*}} : <16x80xf16, strip16>, <{{.*}}, strip_rows = 16, strip_columns = 16>
hk.executable @eighty {
  hk.variant #narrow grid(#grid) {
  ^bb0(%x: tensor<?x64x80xf32>):
    %n = hk.layer_norm %x : tensor<?x64x80xf32>
    %w = hk.packed.get @w80 : tensor<80x80xf32>
    %l = hk.linear %n, %w : tensor<?x64x80xf32>, tensor<80x80xf32>
    hk.yield %l : tensor<?x64x80xf32>
  }
}

// 40 are none, and tf32 is multiplied in slabs.
// CHECK-LABEL: tile.kernel @forty
// CHECK-NOT:     strip
// CHECK-LABEL: tile.kernel @exact
// CHECK-NOT:     strip
hk.executable @forty {
  hk.variant #half grid(#grid) {
  ^bb0(%x: tensor<?x64x40xf32>):
    %n = hk.layer_norm %x : tensor<?x64x40xf32>
    %w = hk.packed.get @w40 : tensor<40x40xf32>
    %l = hk.linear %n, %w : tensor<?x64x40xf32>, tensor<40x40xf32>
    hk.yield %l : tensor<?x64x40xf32>
  }
}
hk.executable @exact {
  hk.variant #word grid(#grid) {
  ^bb0(%x: tensor<?x64x128xf32>):
    %n = hk.layer_norm %x : tensor<?x64x128xf32>
    %w = hk.packed.get @w : tensor<128x128xf32>
    %l = hk.linear %n, %w : tensor<?x64x128xf32>, tensor<128x128xf32>
    hk.yield %l : tensor<?x64x128xf32>
  }
}

// A loop over the input leaves it to producers, who bring rows as they are.
// CHECK-LABEL: tile.kernel @stream
// CHECK:         scf.for
// CHECK:           tile.load %{{.*}} : memref<?x512xf16> -> <16x64xf16>
// CHECK:           tile.mma %{{.*}} : <16x64xf16>, <128x64xf16, strip_rows = 16>
hk.executable @stream {
  hk.variant #half grid(#grid) {
  ^bb0(%c: tensor<?x64x512xf16>, %x: tensor<?x64x128xf32>):
    %a = hk.cast %c : tensor<?x64x512xf16> to tensor<?x64x512xf32>
    %w = hk.packed.get @deep : tensor<128x512xf32>
    %l = hk.linear %a, %w : tensor<?x64x512xf32>, tensor<128x512xf32>
    %s = hk.add %x, %l : tensor<?x64x128xf32>, tensor<?x64x128xf32>
    %n = hk.layer_norm %s : tensor<?x64x128xf32>
    hk.yield %n : tensor<?x64x128xf32>
  }
}

// What attention makes is slabs, and so is what reads its heads.
// CHECK-LABEL: tile.kernel @heads
// CHECK:         tile.load %{{.*}} : memref<?x128xf16> -> <16x32xf16>
// CHECK:         tile.mma %{{.*}} : <16x32xf16>, <128x32xf16, strip_rows = 16>
hk.executable @heads {
  hk.variant #half grid(#grid) {
  ^bb0(%q: tensor<?x64x128xf16>, %x: tensor<?x64x128xf32>):
    %f = hk.cast %q : tensor<?x64x128xf16> to tensor<?x64x128xf32>
    %c = hk.attention %f, %f, %f {num_heads = 4 : i32} : tensor<?x64x128xf32>, tensor<?x64x128xf32>, tensor<?x64x128xf32>
    %w = hk.packed.get @w : tensor<128x128xf32>
    %l = hk.linear %c, %w : tensor<?x64x128xf32>, tensor<128x128xf32>
    %s = hk.add %x, %l : tensor<?x64x128xf32>, tensor<?x64x128xf32>
    %n = hk.layer_norm %s : tensor<?x64x128xf32>
    hk.yield %n : tensor<?x64x128xf32>
  }
}
