// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-pack-linears | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-pack-linears -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!h = tensor<16x16xf16>

// REMARK: remark: [Missed] NotPacked | Category:hk-pack-linears | Function=f | Remark="expects the linears of one input to have weights of one element type, but got several"
// CHECK-LABEL: func.func @f(
// CHECK-NOT: hk.split
// CHECK: return
func.func @f(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %h = hk.param "h" : !h
  %a = hk.linear %x, %w : !x, !w
  %b = hk.linear %x, %h : !x, !h
  %y = hk.add %a, %b : !x, !x
  return %y : !x
}
