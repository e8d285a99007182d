// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Attention whose keys and values the kernel computes, where a CTA has more
// rows than a sequence: it owns several, each padded to whole units.

#heads = affine_map<()[B] -> (B ceildiv 4 * 2)>
#one = affine_map<()[B] -> (B ceildiv 4)>
#pairs = affine_map<()[B] -> (B ceildiv 2)>
#s = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0, heads = 2,
              block = 64, depth = 64, keys = 32, stages = 2, operands = f16>
#all = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 4,
                block = 64, depth = 64, keys = 16, stages = 2, operands = f16>
#group = #hk.cuda<arch = "sm_90a", rows = 128, units = 8, columns = 0,
                  heads = 4, block = 64, depth = 64, keys = 64, stages = 2,
                  operands = f16, mma = wgmma>

!x = tensor<?x20x64xf32>
!m = tensor<?x20xi1>
!t = tensor<?x16x64xf32>
!l = tensor<?xi32>
!g = tensor<?x64x64xf32>
!half = tensor<?x20x1024xf16>
!wide = tensor<?x20x1024xf32>

hk.packed @wide : tensor<192x1024xf32> {
  %z = hk.param "wide" from f32 : tensor<192x1024xf64>
  hk.yield %z : tensor<192x1024xf64>
}
hk.packed @w : tensor<192x64xf32> {
  %z = hk.param "w" from f32 : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}

// Four sequences of 20 rows, each in 32 of the CTA. What depends on the sequence
// depends on the unit: its rows, their end, and its mask. Units behind the batch
// have the last mask, and no rows. All agree on whether one of the sequences is
// read.

// CHECK-LABEL: tile.kernel @padded(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[M:.*]]: memref<?xi8>, {{.*}} %[[B:.*]]: index)
// CHECK:         %[[ITEM:.*]] = tile.item
// CHECK:         %[[GROUP:.*]] = arith.divui %[[ITEM]], %c2
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[OWN:.*]] = arith.divui %[[UNIT]], %c2
// CHECK:         %[[FIRST:.*]] = arith.muli %[[GROUP]], %c4
// CHECK:         %[[NUMBER:.*]] = arith.addi %[[FIRST]], %[[OWN]]
// CHECK:         %[[LAST:.*]] = arith.addi %[[B]], %c-1
// CHECK:         %[[SEQUENCE:.*]] = arith.minui %[[NUMBER]], %[[LAST]]
// CHECK:         %[[BASE:.*]] = arith.muli %[[OWN]], %c32
// CHECK:         %[[AT:.*]] = arith.muli %[[UNIT]], %c16
// CHECK:         %[[LOCAL:.*]] = arith.subi %[[AT]], %[[BASE]]
// CHECK:         %[[CTA:.*]] = arith.muli %[[GROUP]], %c80
// CHECK:         %[[ALL:.*]] = arith.muli %[[B]], %c20
// CHECK:         %[[BEGIN:.*]] = arith.muli %[[NUMBER]], %c20
// CHECK:         %[[ROW:.*]] = arith.addi %[[BEGIN]], %[[LOCAL]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[BEGIN]], %c20
// CHECK:         %[[END:.*]] = arith.minui %[[ALL]], %[[NEXT]]
// CHECK:         %[[MASK:.*]] = arith.muli %[[SEQUENCE]], %c20
// CHECK:         tile.extent %[[M]][%[[MASK]]] of(%c20)
// CHECK:         %[[LEFT:.*]] = arith.subi %[[ALL]], %[[CTA]]
// CHECK:         %[[SIZE:.*]] = arith.minui %[[LEFT]], %c80
// CHECK:         %[[READ:.*]] = tile.extent %[[M]][%[[CTA]]] of(%[[SIZE]])
// CHECK:         arith.cmpi ne, %[[READ]], %c0
// CHECK:         tile.load %[[X]][%[[ROW]], %c0] rows(%[[END]])
// CHECK:         %[[K:.*]] = tile.publish %{{.*}} at(%[[AT]], %c0) : <16x32xf16> -> <128x32xf16>
// CHECK:         %[[V:.*]] = tile.publish
// CHECK:         scf.for %[[KEY:.*]] = %c0 to
// CHECK:           %[[FROM:.*]] = arith.addi %[[BASE]], %[[KEY]]
// CHECK:           tile.mma %{{.*}}, %[[K]][%[[FROM]], %c0]
// CHECK:           tile.mask %{{.*}} at(%[[LOCAL]], %[[KEY]])
// CHECK:           tile.mma %{{.*}}, %[[V]][%[[FROM]], %c0]
// CHECK:         tile.store %{{.*}}[%[[ROW]], %{{.*}}] rows(%[[END]])
hk.executable @padded {
  hk.variant #s grid(#heads) skip_rows(1) {
  ^bb0(%x: !x, %m: !m):
    %w = hk.packed.get @w : tensor<192x64xf32>
    %n = hk.rms_norm %x : !x
    %p = hk.linear %n, %w : !x, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x20x192xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v key_mask(%m) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
    hk.yield %a : !x
  }
}

// A unit a sequence, and nothing is padded: the rows of the CTA follow each
// other, and end with the batch. The longest of four sequences says whether one
// is read.

// CHECK-LABEL: tile.kernel @whole(
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf32>, %[[L:.*]]: memref<?xi32>, {{.*}} %[[B:.*]]: index)
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[AT:.*]] = arith.muli %[[UNIT]], %c16
// CHECK:         %[[CTA:.*]] = arith.muli %{{.*}}, %c64
// CHECK:         %[[ALL:.*]] = arith.muli %[[B]], %c16
// CHECK:         %[[ROW:.*]] = arith.addi %[[CTA]], %[[AT]]
// CHECK-COUNT-4: memref.load %[[L]]
// CHECK:         arith.cmpi sgt
// CHECK:         tile.load %[[X]][%[[ROW]], %c0] rows(%[[ALL]])
// CHECK:         %[[K:.*]] = tile.publish %{{.*}} at(%[[AT]], %c0) : <16x64xf16> -> <64x64xf16>
// CHECK:         tile.mma %{{.*}}, %[[K]][%{{.*}}, %c0]
// CHECK:         tile.mask %{{.*}} at(%c0, %{{.*}})
hk.executable @whole {
  hk.variant #all grid(#one) skip_rows(1) {
  ^bb0(%x: !t, %l: !l):
    %w = hk.packed.get @w : tensor<192x64xf32>
    %p = hk.linear %x, %w : !t, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x16x192xf32> -> !t, !t, !t
    %a = hk.attention %q, %k, %v lengths(%l) {num_heads = 4 : i32, causal} : !t, !t, !t, !l
    hk.yield %a : !t
  }
}

// Warpgroups that have rows of one sequence go over its keys together.

// CHECK-LABEL: tile.kernel @together(
// CHECK:         %[[UNIT:.*]] = tile.unit
// CHECK:         %[[GROUP:.*]] = arith.divui %[[UNIT]], %c4
// CHECK:         %[[BASE:.*]] = arith.muli %[[GROUP]], %c64
// CHECK:         %[[K:.*]] = tile.publish
// CHECK:         %[[FIRST:.*]] = arith.subi %[[BASE]], %[[BASE]]
// CHECK:         %[[END:.*]] = arith.addi %[[FIRST]], %c64
// CHECK:         %[[LIMIT:.*]] = arith.minsi %[[END]], %c64
// CHECK:         scf.for %{{.*}} = %c0 to %[[LIMIT]]
// CHECK:           tile.mma %{{.*}}, %[[K]]
hk.executable @together {
  hk.variant #group grid(#pairs) {
  ^bb0(%x: !g):
    %w = hk.packed.get @w : tensor<192x64xf32>
    %p = hk.linear %x, %w : !g, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : tensor<?x64x192xf32> -> !g, !g, !g
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !g, !g, !g
    hk.yield %a : !g
  }
}

// An input that is wider than registers comes in steps through shared memory,
// where each sequence is padded.

// CHECK-LABEL: tile.kernel @steps(
// CHECK-SAME:    %[[X:.*]]: memref<?x1024xf16>, {{.*}} %[[B:.*]]: index)
// CHECK:         %[[AT:.*]] = arith.muli %{{.*}}, %c16
// CHECK:         %[[CTA:.*]] = arith.muli %{{.*}}, %c80
// CHECK:         %[[ALL:.*]] = arith.muli %[[B]], %c20
// CHECK:         scf.for %[[STEP:.*]] = %c0 to %c16
// CHECK:           %[[K:.*]] = arith.muli %[[STEP]], %c64
// CHECK:           %[[BUF:.*]] = tile.stage %[[X]][%[[CTA]], %[[K]]] rows(%[[ALL]]) padded [20, 32] : memref<?x1024xf16> -> <128x64xf16>
// CHECK:           %[[A:.*]] = tile.fetch %[[BUF]][%[[AT]], %c0] : <128x64xf16> -> <16x64xf16>
// CHECK-COUNT-3:   tile.mma %[[A]]
hk.executable @steps {
  hk.variant #s grid(#heads) {
  ^bb0(%r: !half):
    %w = hk.packed.get @wide : tensor<192x1024xf32>
    %x = hk.cast %r : !half to !wide
    %p = hk.linear %x, %w : !wide, tensor<192x1024xf32>
    %q, %k, %v = hk.split %p : tensor<?x20x192xf32> -> !x, !x, !x
    %a = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
    hk.yield %a : !x
  }
}
