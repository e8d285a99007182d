// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --canonicalize --cse | FileCheck %s

// Where nobody reads invalid rows, a CTA without a valid one stores zeros and
// does nothing else.

#grid = affine_map<()[B] -> (B * 2)>
#line = #hk.cuda<arch = "sm_90a", rows = 64, units = 8, columns = 0, heads = 0,
                 block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#gemm = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 128,
                 heads = 0, block = 128, depth = 64, keys = 64, stages = 3,
                 operands = f16>
#chain = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0,
                  heads = 0, block = 64, depth = 64, keys = 64, stages = 3,
                  operands = f16>

!x = tensor<?x100x128xf32>

hk.packed @w : tensor<256x128xf32> {
  %z = hk.param "w" from f32 : tensor<256x128xf64>
  hk.yield %z : tensor<256x128xf64>
}

// CHECK-LABEL: tile.kernel @lengths
// CHECK:         %[[FIRST:.*]] = arith.muli %{{.*}}, %c64
// CHECK:         %[[LENGTH:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<?xi32>
// CHECK:         %[[ROW:.*]] = arith.index_cast %[[FIRST]] : index to i32
// CHECK:         %[[READ:.*]] = arith.cmpi slt, %[[ROW]], %[[LENGTH]]
// CHECK:         scf.if %[[READ]] {
// CHECK:           tile.load
// CHECK:           tile.store
// CHECK:         } else {
// CHECK-NOT:       tile.load
// CHECK:           %[[ZERO:.*]] = tile.splat %{{.*}} : f16 -> <8x128xf16, line>
// CHECK:           tile.store %[[ZERO]] to %{{.*}} rows(%{{.*}}) : <8x128xf16, line>, memref<?x128xf16>
hk.executable @lengths {
  hk.variant #line grid(#grid) skip_rows(1) {
  ^bb0(%x: !x, %n: tensor<?xi32>):
    %y = hk.rms_norm %x : !x
    %h = hk.cast %y : !x to tensor<?x100x128xf16>
    hk.yield %h : tensor<?x100x128xf16>
  }
}

// Of a mask, the bytes of the CTA's rows are looked at. Only the CTA's own
// columns are stored.

// CHECK-LABEL: tile.kernel @mask
// CHECK:         %[[LEFT:.*]] = arith.subi %[[END:.*]], %[[CTA:[0-9a-z]*]]
// CHECK:         %[[COUNT:.*]] = arith.minui %[[LEFT]], %c64
// CHECK:         %[[EXTENT:.*]] = tile.extent %{{.*}}[%[[CTA]]] of(%[[COUNT]]) : memref<?xi8>
// CHECK:         %[[READ:.*]] = arith.cmpi ne, %[[EXTENT]], %c0
// CHECK:         scf.if %[[READ]] {
// CHECK:           tile.mma
// CHECK:         } else {
// CHECK:           %[[ZERO:.*]] = tile.splat
// CHECK:           %[[N:.*]] = arith.muli %{{.*}}, %c128
// CHECK:           tile.store %[[ZERO]] to %{{.*}}[%{{.*}}, %[[N]]] rows(%{{[^)]*}}) : <16x128xf32>, memref<?x256xf32>
// CHECK-NOT:       tile.store
hk.executable @mask {
  hk.variant #gemm grid(#grid) skip_rows(1) {
  ^bb0(%x: !x, %m: tensor<?x100xi1>):
    %w = hk.packed.get @w : tensor<256x128xf32>
    %y = hk.linear %x, %w : !x, tensor<256x128xf32>
    hk.yield %y : tensor<?x100x256xf32>
  }
}

// CHECK-LABEL: tile.kernel @rows
// CHECK:         } else {
// CHECK:           scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK:             tile.splat
// CHECK:             %[[N:.*]] = arith.muli %[[I]], %c64
// CHECK:             tile.store %{{.*}}[%{{.*}}, %[[N]]] rows(%{{.*}}) : <16x64xf32>, memref<?x256xf32>
hk.executable @rows {
  hk.variant #chain grid(#grid) skip_rows(1) {
  ^bb0(%x: !x, %m: tensor<?x100xi1>):
    %w = hk.packed.get @w : tensor<256x128xf32>
    %n = hk.rms_norm %x : !x
    %y = hk.linear %n, %w : !x, tensor<256x128xf32>
    hk.yield %y : tensor<?x100x256xf32>
  }
}
