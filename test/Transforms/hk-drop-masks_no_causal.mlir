// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-drop-masks | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-drop-masks -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// REMARK: Function=f | Remark="expects causal attention, but got one in which every query sees every key"
// CHECK-LABEL: func.func @f(
// CHECK: hk.attention {{.*}} lengths(
func.func @f(%x: !x, %n: !n) -> !x {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32} : !x, !x, !x, !n
  %y = hk.mask_rows %c lengths(%n) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// Every query of the second attention sees every row of the first one.
// REMARK: Function=later | Remark="expects hk.mask_rows by the same lengths on all ways to a result, but rows past the length are read"
// CHECK-LABEL: func.func @later(
// CHECK: hk.attention {{.*}} lengths(
func.func @later(%x: !x, %n: !n) -> !x {
  %a = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %b = hk.attention %x, %a, %a {num_heads = 2 : i32} : !x, !x, !x
  %y = hk.mask_rows %b lengths(%n) : !x, !n
  return %y : !x
}
