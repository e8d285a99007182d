// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-outline | FileCheck %s
// A variant for cuBLASLt reads its parameters in the library's types: the weight
// in that of the input, the bias in that of the result. Each initialiser is
// repeated, so that it is rounded once.

!x = tensor<?x128x256xf32>
!s = tensor<?x128x256xf16>
#gemm = #hk.cuda<arch = "sm_90a", rows = 128, units = 4, columns = 128, heads = 0, block = 128, depth = 64, keys = 64, stages = 3, operands = f16>
#lt = #hk.cublaslt<operands = f16>

// CHECK-DAG:   #[[LIBRARY:.*]] = affine_map<()[s0] -> (s0)>
// CHECK:       hk.packed @w layers(0 to 2) : tensor<256x256xf32> {
// CHECK:       hk.packed @w.f16 layers(0 to 2) : tensor<256x256xf16> {
// CHECK-NEXT:  ^bb0(%[[L:.*]]: index):
// CHECK-NEXT:    hk.param "w.{}"[%[[L]]] from f32 : tensor<256x256xf64>
// CHECK:       hk.packed @b : tensor<256xf32> {
// CHECK:       hk.packed @b.f16 : tensor<256xf16> {
hk.packed @w layers(0 to 2) : tensor<256x256xf32> {
^bb0(%l: index):
  %z = hk.param "w.{}"[%l] from f32 : tensor<256x256xf64>
  hk.yield %z : tensor<256x256xf64>
}
hk.packed @b : tensor<256xf32> {
  %z = hk.param "b" from f32 : tensor<256xf64>
  hk.yield %z : tensor<256xf64>
}

// CHECK:       hk.executable @narrow {
// CHECK:         hk.variant #hk.cuda
// CHECK:           hk.packed.get @w[%{{.*}}] : tensor<256x256xf32>
// CHECK:         hk.variant #hk.cublaslt<operands = f16> grid(#[[LIBRARY]]) {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?x128x256xf16>, %[[I:.*]]: index):
// CHECK-NEXT:      %[[C:.*]] = hk.cast %[[A]]
// CHECK-NEXT:      %[[W:.*]] = hk.packed.get @w.f16[%[[I]]] : tensor<256x256xf16>
// CHECK-NEXT:      %[[WC:.*]] = hk.cast %[[W]] : tensor<256x256xf16> to tensor<256x256xf32>
// CHECK-NEXT:      %[[B:.*]] = hk.packed.get @b.f16 : tensor<256xf16>
// CHECK-NEXT:      %[[BC:.*]] = hk.cast %[[B]]
// CHECK-NEXT:      hk.linear %[[C]], %[[WC]], %[[BC]]
// CHECK:       hk.executable @wide {
// CHECK:         hk.variant #hk.cublaslt
// CHECK:           hk.packed.get @w.f16[
// CHECK:           hk.packed.get @b : tensor<256xf32>
func.func private @f.sm_90a.safe(%x: !x, %s: !s) -> (!s, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %c0 = arith.constant 0 : index
  %0 = hk.kernel @narrow(%a = %s : !s, %l = %c0 : index) -> (!s) scope(row) schedules [#gemm, #lt] {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w[%l] : tensor<256x256xf32>
    %b = hk.packed.get @b : tensor<256xf32>
    %o = hk.linear %c, %w, %b : !x, tensor<256x256xf32>, tensor<256xf32>
    %y = hk.cast %o : !x to !s
    hk.yield %y : !s
  }
  %1 = hk.kernel @wide(%a = %0 : !s, %r = %x : !x, %l = %c0 : index) -> (!x) scope(row) schedules [#gemm, #lt] {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w[%l] : tensor<256x256xf32>
    %b = hk.packed.get @b : tensor<256xf32>
    %o = hk.linear %c, %w, %b : !x, tensor<256x256xf32>, tensor<256xf32>
    %y = hk.add %r, %o : !x, !x
    hk.yield %y : !x
  }
  return %0, %1 : !s, !x
}
func.func private @f(!x, !s) -> (!s, !x)
