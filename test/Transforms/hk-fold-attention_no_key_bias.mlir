// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-attention | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-attention -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// The key is the value, too, which needs the bias.
// REMARK: remark: [Missed] KeyBiasKept | Category:hk-fold-attention | Function=f | Remark="expects the key to be used by this attention alone, but got other uses"
// CHECK-LABEL: func.func @f(
// CHECK: %[[W:.*]] = hk.param "w"
// CHECK: %[[B:.*]] = hk.param "b"
// CHECK: hk.linear %{{.*}}, %[[W]], %[[B]]
func.func @f(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %b = hk.param "b" : !v
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %k, %k {num_heads = 4 : i32} : !x, !x, !x
  return %c : !x
}
