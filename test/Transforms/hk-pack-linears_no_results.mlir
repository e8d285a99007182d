// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-pack-linears | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-pack-linears -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// A result of the function is a tensor of its own, not columns of another.
// REMARK: Function=f | Remark="expects a value that other operations use, but got one that is given out, in a tensor of its own"
// CHECK-LABEL: func.func @f(
// CHECK-NOT: hk.split
// CHECK: return
func.func @f(%x: !x) -> (!x, !x) {
  %p = hk.param "p" : !w
  %q = hk.param "q" : !w
  %0 = hk.linear %x, %p : !x, !w
  %1 = hk.linear %x, %q : !x, !w
  %2 = hk.activation relu %1 : !x
  return %0, %2 : !x, !x
}
