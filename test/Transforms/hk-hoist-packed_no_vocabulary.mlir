// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-hoist-packed | FileCheck %s
// RUN: hk-opt %s -hk-hoist-packed -remarks-filter-missed=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x4x16xf32>
!w = tensor<16x16xf32>

// What is outside of the packing vocabulary stays, and so does what follows
// from it; what they read is packed.
// CHECK:       hk.packed @w : tensor<16x16xf32> {
// CHECK-NEXT:    hk.param "w"
// CHECK-LABEL: func.func @activation(
// CHECK:         %[[W:.*]] = hk.packed.get @w : tensor<16x16xf32>
// CHECK:         %[[A:.*]] = hk.activation silu %[[W]]
// CHECK:         %[[S:.*]] = hk.pack.scale %[[A]]
// CHECK:         hk.linear %{{.*}}, %[[S]]
// REMARK: remark: [Missed] NotHoisted | Category:hk-hoist-packed | Function=activation | Remark="hk.activation depends on parameters alone, but is not in the packing vocabulary; it stays in the function"
// REMARK: remark: [Missed] NotHoisted {{.*}}"hk.pack.scale depends on a value that stays in the function; it stays as well"
func.func @activation(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %a = hk.activation silu %w : !w
  %s = hk.pack.scale %a by 2.0 : !w
  %y = hk.linear %x, %s : !x, !w
  return %y : !x
}

// A cast that rounds is not in the vocabulary.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[G:.*]] = hk.packed.get @g : tensor<16xf32>
// CHECK:         hk.cast %[[G]] : tensor<16xf32> to tensor<16xf16>
// REMARK: remark: [Missed] NotHoisted {{.*}}Function=narrow | Remark="hk.cast depends on parameters alone
func.func @narrow(%x: !x) -> !x {
  %g = hk.param "g" : tensor<16xf32>
  %h = hk.cast %g : tensor<16xf32> to tensor<16xf16>
  %y = hk.rms_norm %x, %h : !x, tensor<16xf16>
  return %y : !x
}
