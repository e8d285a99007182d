// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Where every frag has rows of one sequence alone, nothing has a bound. A
// residual that comes from memory, like the input of its product, is added
// behind the product, which then waits for the input only.

#one = affine_map<()[B] -> (B)>
#two = affine_map<()[B] -> (B * 2)>
#pairs = affine_map<()[B] -> ((B ceildiv 2) * 2)>
#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
              block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#heads = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 1,
                  block = 32, depth = 64, keys = 16, stages = 2, operands = f16>

!x = tensor<?x64x128xf32>
!h = tensor<?x64x128xf16>
!m = tensor<?x64xi1>
!w = tensor<128x128xf32>

hk.packed @w : !w {
  %z = hk.param "w" from f32 : tensor<128x128xf64>
  hk.yield %z : tensor<128x128xf64>
}
hk.packed @large : tensor<192x192xf32> {
  %z = hk.param "large" from f32 : tensor<192x192xf64>
  hk.yield %z : tensor<192x192xf64>
}
hk.packed @qkv : tensor<192x64xf32> {
  %z = hk.param "qkv" from f32 : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}

// CHECK-LABEL: tile.kernel @back(
// CHECK-SAME:    %[[C:.*]]: memref<?x128xf16>, %[[R:.*]]: memref<?x128xf32>, %[[M:.*]]: memref<?xi8>
// CHECK:         tile.extent %[[M]][%{{.*}}] of(%c64) : memref<?xi8>
// CHECK:         %[[X:.*]] = tile.load %[[R]][%{{.*}}, %c0] : memref<?x128xf32>
// CHECK:         %[[A0:.*]] = tile.load %[[C]][%{{.*}}, %c0] : memref<?x128xf16>
// CHECK:         %[[P:.*]] = tile.mma %[[A0]], %{{.*}}[%c0, %c0] : <16x64xf16,
// CHECK:         %[[A1:.*]] = tile.load %[[C]][%{{.*}}, %c64] : memref<?x128xf16>
// CHECK:         %[[S:.*]] = tile.mma %[[A1]], %{{.*}}, %[[P]] :
// CHECK:         %[[Y:.*]] = tile.map %[[X]], %{{.*}}
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %[[F:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[E]], %[[F]]
// CHECK:         tile.store %{{.*}} to %{{.*}}[%{{.*}}, %c0] : <16x128xf32
hk.executable @back {
  hk.variant #s grid(#one) skip_rows(2) {
  ^bb0(%c: !h, %r: !x, %m: !m):
    %w = hk.packed.get @w : !w
    %a = hk.cast %c : !h to !x
    %s = hk.linear %a, %w : !x, !w
    %x = hk.add %r, %s : !x, !x
    %n = hk.rms_norm %x : !x
    hk.yield %n : !x
  }
}

// 192 columns twice would be too many registers: the sums begin with the
// residual. Two CTAs share a sequence of 128 rows.

// CHECK-LABEL: tile.kernel @wide(
// CHECK:         %[[X:.*]] = tile.load %{{.*}} : memref<?x192xf32> -> <16x192xf32
// CHECK:         scf.for %{{.*}} iter_args(%[[S:.*]] = %[[X]])
// CHECK:           tile.mma %{{.*}}, %{{.*}}, %[[S]] :
hk.executable @wide {
  hk.variant #s grid(#two) {
  ^bb0(%c: tensor<?x128x192xf16>, %r: tensor<?x128x192xf32>):
    %w = hk.packed.get @large : tensor<192x192xf32>
    %a = hk.cast %c : tensor<?x128x192xf16> to tensor<?x128x192xf32>
    %s = hk.linear %a, %w : tensor<?x128x192xf32>, tensor<192x192xf32>
    %x = hk.add %r, %s : tensor<?x128x192xf32>, tensor<?x128x192xf32>
    %n = hk.rms_norm %x : tensor<?x128x192xf32>
    hk.yield %n : tensor<?x128x192xf32>
  }
}

// The last of two CTAs has rows behind the end of a sequence of 100.

// CHECK-LABEL: tile.kernel @rest(
// CHECK:         tile.load %{{.*}} rows(%{{.*}}) : memref<?x128xf32>
// CHECK:         tile.store %{{.*}} rows(%{{.*}}) :
hk.executable @rest {
  hk.variant #s grid(#two) {
  ^bb0(%r: tensor<?x100x128xf32>):
    %n = hk.rms_norm %r : tensor<?x100x128xf32>
    hk.yield %n : tensor<?x100x128xf32>
  }
}

// Two sequences of 16 rows a CTA: a batch of six has none too many, one that is
// not known may.

// CHECK-LABEL: tile.kernel @six(
// CHECK-NOT:     arith.minui
// CHECK:         tile.load %{{.*}} : memref<?x64xf32>
// CHECK-NOT:     rows(
// CHECK:         tile.return
hk.executable @six {
  hk.variant #heads grid(#pairs) {
  ^bb0(%x: tensor<6x16x64xf32>):
    %w = hk.packed.get @qkv : tensor<192x64xf32>
    %p = hk.linear %x, %w : tensor<6x16x64xf32>, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<6x16x192xf32> -> tensor<6x16x64xf32>, tensor<6x16x64xf32>, tensor<6x16x64xf32>
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32} : tensor<6x16x64xf32>, tensor<6x16x64xf32>, tensor<6x16x64xf32>
    hk.yield %y : tensor<6x16x64xf32>
  }
}

// CHECK-LABEL: tile.kernel @any(
// CHECK:         tile.load %{{.*}} rows(%{{.*}}) : memref<?x64xf32>
hk.executable @any {
  hk.variant #heads grid(#pairs) {
  ^bb0(%x: tensor<?x16x64xf32>):
    %w = hk.packed.get @qkv : tensor<192x64xf32>
    %p = hk.linear %x, %w : tensor<?x16x64xf32>, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x16x192xf32> -> tensor<?x16x64xf32>, tensor<?x16x64xf32>, tensor<?x16x64xf32>
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32} : tensor<?x16x64xf32>, tensor<?x16x64xf32>, tensor<?x16x64xf32>
    hk.yield %y : tensor<?x16x64xf32>
  }
}
