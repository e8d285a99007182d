// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --canonicalize --cse | FileCheck %s

#v4 = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>

hk.packed @w : tensor<70x24xf32, #hk.panels<32>> {
  %w = hk.param "w" from f32 : tensor<70x24xf64>
  %p = hk.pack.layout %w : tensor<70x24xf64> -> tensor<70x24xf64, #hk.panels<32>>
  hk.yield %p : tensor<70x24xf64, #hk.panels<32>>
}
hk.packed @b : tensor<70xf32> {
  %b = hk.param "b" from f32 : tensor<70xf64>
  hk.yield %b : tensor<70xf64>
}

// 64 rows are five tiles of twelve and one of four; 70 features are two panels
// of 32 and one of 6, which lies behind them, at element 2 * 32 * 24.

// CHECK-LABEL: func.func @linear
// CHECK-SAME: hk.packed = [@b, @w]
// CHECK-SAME: hk.scratch = 0 : i64
// CHECK: memref<2x24x32xf32>
// Twelve rows by two registers.
// CHECK: %{{.*}}:24 = scf.for %{{.*}} = %c0{{.*}} to %c24{{.*}} -> ({{.*}}vector<16xf32>
// CHECK:   vector.load %{{.*}} : memref<2x24x32xf32>, vector<16xf32>
// CHECK:   memref.load %{{.*}} : memref<64x24xf32>
// CHECK:   arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK:   arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK: %{{.*}}:8 = scf.for
// CHECK: llvm.getelementptr %{{.*}}[6144]
// CHECK: memref<1x24x6xf32>
// CHECK: %{{.*}}:12 = scf.for {{.*}} -> ({{.*}}vector<6xf32>
hk.executable @linear {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: tensor<?x64x24xf32>):
    %w = hk.packed.get @w : tensor<70x24xf32, #hk.panels<32>>
    %b = hk.packed.get @b : tensor<70xf32>
    %y = hk.linear %x, %w, %b
        : tensor<?x64x24xf32>, tensor<70x24xf32, #hk.panels<32>>, tensor<70xf32>
    hk.yield %y : tensor<?x64x70xf32>
  }
}

// What follows is done on the tile, with nothing in scratch: a residual in the
// registers, an activation in a loop over the rows of the tile.

// CHECK-LABEL: func.func @residual
// CHECK-SAME: hk.scratch = 0 : i64
// CHECK: %[[SUMS:.*]]:24 = scf.for
// CHECK: %[[R:.*]] = vector.load %{{.*}} : memref<64x70xf32>, vector<16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[R]], %[[SUMS]]#0
// CHECK: vector.store %[[S]]
hk.executable @residual {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: tensor<?x64x24xf32>, %r: tensor<?x64x70xf32>):
    %w = hk.packed.get @w : tensor<70x24xf32, #hk.panels<32>>
    %y = hk.linear %x, %w : tensor<?x64x24xf32>, tensor<70x24xf32, #hk.panels<32>>
    %s = hk.add %r, %y : tensor<?x64x70xf32>, tensor<?x64x70xf32>
    hk.yield %s : tensor<?x64x70xf32>
  }
}

// CHECK-LABEL: func.func @gelu
// CHECK-SAME: hk.scratch = 0 : i64
// CHECK: %[[SUMS:.*]]:24 = scf.for
// CHECK: vector.store %[[SUMS]]#0
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c12
// CHECK:   arith.divf
// CHECK:   vector.store
hk.executable @gelu {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: tensor<?x64x24xf32>):
    %w = hk.packed.get @w : tensor<70x24xf32, #hk.panels<32>>
    %y = hk.linear %x, %w : tensor<?x64x24xf32>, tensor<70x24xf32, #hk.panels<32>>
    %g = hk.activation gelu_erf %y : tensor<?x64x70xf32>
    hk.yield %g : tensor<?x64x70xf32>
  }
}

// A panel may lie further than 2^31 bytes behind the first: here the last, of
// one feature, behind 2^16 * 2^14 elements.

hk.packed @huge : tensor<65537x16384xf32, #hk.panels<32>> {
  %w = hk.param "huge" from f32 : tensor<65537x16384xf64>
  %p = hk.pack.layout %w
      : tensor<65537x16384xf64> -> tensor<65537x16384xf64, #hk.panels<32>>
  hk.yield %p : tensor<65537x16384xf64, #hk.panels<32>>
}

// CHECK-LABEL: func.func @far
// CHECK: %[[FAR:.*]] = llvm.mlir.constant(4294967296 : i64) : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[FAR]]]
hk.executable @far {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: tensor<?x64x16384xf32>):
    %w = hk.packed.get @huge : tensor<65537x16384xf32, #hk.panels<32>>
    %y = hk.linear %x, %w
        : tensor<?x64x16384xf32>, tensor<65537x16384xf32, #hk.panels<32>>
    hk.yield %y : tensor<?x64x65537xf32>
  }
}
