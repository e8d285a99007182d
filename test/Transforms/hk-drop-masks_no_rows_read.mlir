// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-drop-masks | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-drop-masks -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// No mask_rows at all.
// REMARK: remark: [Missed] MaskKept | Category:hk-drop-masks | Function=none | Remark="expects hk.mask_rows by the same lengths on all ways to a result, but rows past the length are read"
// CHECK-LABEL: func.func @none(
// CHECK: hk.attention {{.*}} lengths(
func.func @none(%x: !x, %n: !n) -> !x {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  return %c : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// One of two ways is masked.
// REMARK: Function=one_way
// CHECK-LABEL: func.func @one_way(
// CHECK: hk.attention {{.*}} lengths(
func.func @one_way(%x: !x, %n: !n) -> (!x, !x) {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %a = hk.activation relu %c : !x
  %y = hk.mask_rows %c lengths(%n) : !x, !n
  return %a, %y : !x, !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// Masked by other lengths.
// REMARK: Function=other | Remark="expects hk.mask_rows by the same lengths on all ways to a result, but rows past the length are read"
// CHECK-LABEL: func.func @other(
// CHECK: hk.attention {{.*}} lengths(
func.func @other(%x: !x, %n: !n, %o: !n) -> !x {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %y = hk.mask_rows %c lengths(%o) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// The results of the loop are read whole, so what the last iteration hands on
// is. (The mask_rows in the middle can go.)
// REMARK: Function=loop | Remark="expects hk.mask_rows by the same lengths on all ways to a result, but rows past the length are read"
// REMARK: Function=loop | Remark="expects hk.mask_rows by the same mask on all ways to a result, but rows that this one zeroes are read"
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: hk.attention {{.*}} lengths(
// CHECK: %[[D:.*]] = hk.attention {{.*}} {causal, num_heads = 2 : i32}
// CHECK: hk.mask_rows %[[D]]
func.func @loop(%x: !x, %n: !n) -> (!x, !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r, %s = scf.for %l = %c0 to %c4 step %c1 iter_args(%t = %x, %u = %x) -> (!x, !x) {
    %c = hk.attention %t, %t, %t lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
    %m = hk.mask_rows %t lengths(%n) : !x, !n
    %d = hk.attention %m, %m, %m lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
    %e = hk.mask_rows %d lengths(%n) : !x, !n
    scf.yield %c, %e : !x, !x
  }
  return %r, %s : !x, !x
}
