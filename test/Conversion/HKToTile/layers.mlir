// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile | FileCheck %s
// A kernel that reads packed values of two layers.

#grid = affine_map<()[B] -> (B)>
#f16 = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
                block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
!x = tensor<?x64x64xf32>
!w = tensor<64x64xf32>

// A weight and a vector of this layer and of the next are four slots.
// CHECK:       tile.kernel @ahead(
// CHECK-SAME:    hk.packed = [@lw.{{[a-z0-9.]*}}, @lb, @lw.{{[a-z0-9.]*}}, @lb]
// CHECK-SAME:    hk.packed_ahead = array<i64: 0, 0, 1, 1>
hk.packed @lw layers(0 to 3) : !w {
^bb0(%l: index):
  %w = hk.param "{}.w"[%l] from f32 : tensor<64x64xf64>
  hk.yield %w : tensor<64x64xf64>
}
hk.packed @lb layers(0 to 3) : tensor<64xf32> {
^bb0(%l: index):
  %w = hk.param "{}.b"[%l] from f32 : tensor<64xf64>
  hk.yield %w : tensor<64xf64>
}
hk.executable @ahead {
  hk.variant #f16 grid(#grid) {
  ^bb0(%x: !x, %l: index):
    %w = hk.packed.get @lw[%l] : !w
    %b = hk.packed.get @lb[%l] : tensor<64xf32>
    %h = hk.linear %x, %w, %b : !x, !w, tensor<64xf32>
    %c1 = arith.constant 1 : index
    %k = arith.addi %l, %c1 : index
    %w1 = hk.packed.get @lw[%k] : !w
    %b1 = hk.packed.get @lb[%k] : tensor<64xf32>
    %y = hk.linear %h, %w1, %b1 : !x, !w, tensor<64xf32>
    hk.yield %y : !x
  }
}
