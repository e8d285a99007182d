// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile | FileCheck %s

// What no kernel writes while a plan runs: packed vectors, and operands that are
// inputs of the network in every dispatch of every plan.

#blocks = affine_map<()[B] -> (B * 2)>
#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 8, columns = 0, heads = 0,
              block = 64, depth = 64, keys = 64, stages = 3, operands = f16>

hk.packed @g : tensor<64xf32> {
  %z = hk.param "g" from f32 : tensor<64xf64>
  hk.yield %z : tensor<64xf64>
}

// CHECK: tile.kernel @norm(%{{[^:]*}}: memref<?x64xf32>, %{{[^:]*}}: memref<?xi32> {tile.constant}, %{{[^:]*}}: memref<?x64xf32>, %{{[^:]*}}: memref<64xf32> {tile.constant}, %{{[^:]*}}: index)
hk.executable @norm {
  hk.variant #s grid(#blocks) {
  ^bb0(%x: tensor<?x100x64xf32>, %n: tensor<?xi32>, %l: index):
    %g = hk.packed.get @g : tensor<64xf32>
    %y = hk.rms_norm %x, %g : tensor<?x100x64xf32>, tensor<64xf32>
    %z = hk.mask_rows %y lengths(%n) : tensor<?x100x64xf32>, tensor<?xi32>
    hk.yield %z : tensor<?x100x64xf32>
  }
}
// CHECK: tile.kernel @first(%{{[^:]*}}: memref<?x64xf32> {tile.constant}, %{{[^:]*}}: memref<?x64xf32>, %{{[^:]*}}: index)
hk.executable @first {
  hk.variant #s grid(#blocks) {
  ^bb0(%x: tensor<?x100x64xf32>):
    %y = hk.rms_norm %x : tensor<?x100x64xf32>
    hk.yield %y : tensor<?x100x64xf32>
  }
}
// Not dispatched: nothing is known.
// CHECK: tile.kernel @unused(%{{[^:]*}}: memref<?x64xf32>, %{{[^:]*}}: memref<?x64xf32>, %{{[^:]*}}: index)
hk.executable @unused {
  hk.variant #s grid(#blocks) {
  ^bb0(%x: tensor<?x100x64xf32>):
    %y = hk.rms_norm %x : tensor<?x100x64xf32>
    hk.yield %y : tensor<?x100x64xf32>
  }
}

func.func private @forward(tensor<?x100x64xf32>, tensor<?xi32>) -> tensor<?x100x64xf32>
hk.plan @one of @forward rank(0) role(safe) workspace(affine_map<()[B] -> (B * 25600)>) {
^bb0(%x: tensor<?x100x64xf32>, %n: tensor<?xi32>):
  %t = hk.dispatch @norm(%x, %n) layer(0) at([#hk.workspace<0>])
      : (tensor<?x100x64xf32>, tensor<?xi32>) -> tensor<?x100x64xf32>
  %y = hk.dispatch @norm(%t, %n) layer(1) at([#hk.result<0>])
      : (tensor<?x100x64xf32>, tensor<?xi32>) -> tensor<?x100x64xf32>
  hk.yield %y : tensor<?x100x64xf32>
}
hk.plan @two of @forward rank(1) role(candidate) workspace(affine_map<()[B] -> (B * 25600)>) {
^bb0(%x: tensor<?x100x64xf32>, %n: tensor<?xi32>):
  %t = hk.dispatch @first(%x) at([#hk.workspace<0>])
      : (tensor<?x100x64xf32>) -> tensor<?x100x64xf32>
  %y = hk.dispatch @norm(%t, %n) layer(0) at([#hk.result<0>])
      : (tensor<?x100x64xf32>, tensor<?xi32>) -> tensor<?x100x64xf32>
  hk.yield %y : tensor<?x100x64xf32>
}
