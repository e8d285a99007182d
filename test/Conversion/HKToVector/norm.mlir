// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --canonicalize --cse | FileCheck %s

#v3 = #hk.cpu<isa = "x86-64-v3", rows = 64, mr = 6, nr = 16, keys = 64>
#grid = affine_map<()[B] -> (B)>

hk.packed @g : tensor<20xf32> {
  %g = hk.param "g" from f32 : tensor<20xf64>
  hk.yield %g : tensor<20xf64>
}

// 20 features are two registers of eight lanes and one of four. The mean comes
// first, then the differences: two passes.

// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c8
// CHECK: vector.reduction <add>, %[[SUM]] fastmath<reassoc> : vector<8xf32>
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: %[[MEAN:.*]] = arith.mulf
// CHECK: arith.subf
// CHECK: math.sqrt
// CHECK: arith.subf
// CHECK-NOT: memref<20xf32>
hk.executable @layer_norm {
  hk.variant #v3 grid(#grid) {
  ^bb0(%x: tensor<?x64x20xf32>):
    %y = hk.layer_norm %x : tensor<?x64x20xf32>
    hk.yield %y : tensor<?x64x20xf32>
  }
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME: hk.packed = [@g]
// CHECK-NOT: arith.subf
// CHECK: math.sqrt
// CHECK-NOT: arith.subf
// CHECK: vector.load %{{.*}} : memref<20xf32>, vector<8xf32>
// CHECK: vector.load %{{.*}} : memref<20xf32>, vector<4xf32>
hk.executable @rms_norm {
  hk.variant #v3 grid(#grid) {
  ^bb0(%x: tensor<?x64x20xf32>):
    %g = hk.packed.get @g : tensor<20xf32>
    %y = hk.rms_norm %x, %g : tensor<?x64x20xf32>, tensor<20xf32>
    hk.yield %y : tensor<?x64x20xf32>
  }
}
