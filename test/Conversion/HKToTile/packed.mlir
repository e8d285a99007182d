// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile | FileCheck %s

// The tiles of a weight are made once for all kernels that read them alike,
// and are taken where there are some.

#grid = affine_map<()[B] -> (B)>
#f16 = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
                block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#bf16 = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0,
                 block = 64, depth = 64, keys = 64, stages = 3,
                 operands = bf16>
#tf32 = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0,
                 block = 32, depth = 32, keys = 64, stages = 3,
                 operands = tf32>
#cpu = #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>

!x = tensor<?x64x64xf32>
!w = tensor<64x64xf32>

// CHECK:       hk.packed @w :
// CHECK:       hk.packed @w.t32x64.f32 : tensor<64x64xf32, #hk.tiles<rows = 32, columns = 64>> {
// CHECK:       hk.packed @w.t64x64.s16x8.bf16 : tensor<64x64xbf16,
// CHECK:       hk.packed @w.t64x64.f16 : tensor<64x64xf16,
// CHECK-NEXT:    hk.param "other"
// CHECK-NOT:   hk.packed @
hk.packed @w : !w {
  %z = hk.param "w" from f32 : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}
hk.packed @w.t64x64.f16 : tensor<64x64xf16, #hk.tiles<rows = 64, columns = 64>> {
  %z = hk.param "other" from f32 : tensor<64x64xf64>
  %t = hk.pack.layout %z : tensor<64x64xf64>
      -> tensor<64x64xf64, #hk.tiles<rows = 64, columns = 64>>
  hk.yield %t : tensor<64x64xf64, #hk.tiles<rows = 64, columns = 64>>
}

// CHECK:       module @sm_90a
// CHECK:         tile.kernel @a({{.*}}hk.packed = [@w.t64x64.s16x8.f16], {{.*}}hk.variant = 0
// CHECK:         tile.kernel @a_1({{.*}}hk.executable = @a, hk.packed = [@w.t64x64.s16x8.bf16], {{.*}}hk.variant = 1
// CHECK:           tile.mma {{.*}} : <16x64xbf16>, <64x64xbf16, strip_rows = 16>
// CHECK:         tile.kernel @b({{.*}}hk.packed = [@w.t64x64.s16x8.f16],
// CHECK:       module @sm_80
// CHECK:         tile.kernel @a({{.*}}hk.packed = [@w.t32x64.f32], {{.*}}hk.variant = 2
// CHECK:           tile.mma {{.*}} : <16x64xf32>, <32x64xf32>
// CHECK-NOT:     tile.kernel
hk.executable @a {
  hk.variant #f16 grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %y = hk.linear %x, %w : !x, !w
    hk.yield %y : !x
  }
  hk.variant #bf16 grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %y = hk.linear %x, %w : !x, !w
    hk.yield %y : !x
  }
  hk.variant #tf32 grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %y = hk.linear %x, %w : !x, !w
    hk.yield %y : !x
  }
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %y = hk.linear %x, %w : !x, !w
    hk.yield %y : !x
  }
}
hk.executable @b {
  hk.variant #f16 grid(#grid) {
  ^bb0(%x: !x):
    %w = hk.packed.get @w : !w
    %r = hk.activation relu %x : !x
    %y = hk.linear %r, %w : !x, !w
    hk.yield %y : !x
  }
}
