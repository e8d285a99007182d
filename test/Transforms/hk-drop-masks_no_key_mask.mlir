// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-drop-masks | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-drop-masks -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!m = tensor<?x8xi1>

// Left padding, for one: a valid query would see the padding before it.
// REMARK: remark: [Missed] MaskKept | Category:hk-drop-masks | Function=f | Remark="expects lengths, but got a key_mask: it may have any pattern, so that a valid query sees an earlier masked key"
// CHECK-LABEL: func.func @f(
// CHECK: hk.attention {{.*}} key_mask(
func.func @f(%x: !x, %m: !m) -> !x {
  %c = hk.attention %x, %x, %x key_mask(%m) {num_heads = 2 : i32, causal} : !x, !x, !x, !m
  %y = hk.mask_rows %c key_mask(%m) : !x, !m
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>
!m = tensor<?x8xi1>

// The rows that are valid under a key_mask see earlier ones that are not: the
// first mask_rows has to stay.
// REMARK: remark: [Missed] RowsKept | Category:hk-drop-masks | Function=keys | Remark="expects hk.mask_rows by the same mask on all ways to a result, but rows that this one zeroes are read"
// CHECK-LABEL: func.func @keys(
// CHECK: %[[V:.*]] = hk.mask_rows
// CHECK: hk.attention %{{.*}}, %{{.*}}, %[[V]]
func.func @keys(%x: !x, %m: !m) -> !x {
  %v = hk.mask_rows %x key_mask(%m) : !x, !m
  %c = hk.attention %x, %x, %v {num_heads = 2 : i32, causal} : !x, !x, !x
  %y = hk.mask_rows %c key_mask(%m) : !x, !m
  return %y : !x
}
