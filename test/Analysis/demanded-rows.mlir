// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --hk-drop-masks | FileCheck %s

// Which rows of a value anybody reads, seen through hk-drop-masks: it drops the
// lengths of an attention whose demanded rows are all within them.

!x = tensor<?x8x4xf32>
!n = tensor<?xi32>

// Demanded rows pass through operations on rows, and through a loop.

// CHECK-LABEL: func.func @loop
// CHECK: hk.attention
// CHECK-NOT: lengths
// CHECK: scf.yield
func.func @loop(%x: !x, %n: !n) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %l = %c0 to %c3 step %c1 iter_args(%t = %x) -> (!x) {
    %a = hk.attention %t, %t, %t lengths(%n) {num_heads = 1 : i32, causal}
        : !x, !x, !x, !n
    %s = hk.add %t, %a : !x, !x
    scf.yield %s : !x
  }
  %y = hk.mask_rows %r lengths(%n) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x4xf32>
!n = tensor<?xi32>

// One use that is not masked demands every row.

// CHECK-LABEL: func.func @other_use
// CHECK: hk.attention {{.*}} lengths
func.func @other_use(%x: !x, %n: !n) -> (!x, !x) {
  %a = hk.attention %x, %x, %x lengths(%n) {num_heads = 1 : i32, causal}
      : !x, !x, !x, !n
  %y = hk.mask_rows %a lengths(%n) : !x, !n
  %z = hk.activation relu %a : !x
  return %y, %z : !x, !x
}

// -----

!x = tensor<?x8x4xf32>
!n = tensor<?xi32>

// Another mask says nothing about this one.

// CHECK-LABEL: func.func @other_mask
// CHECK: hk.attention {{.*}} lengths
func.func @other_mask(%x: !x, %n: !n, %m: !n) -> !x {
  %a = hk.attention %x, %x, %x lengths(%n) {num_heads = 1 : i32, causal}
      : !x, !x, !x, !n
  %y = hk.mask_rows %a lengths(%m) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x4xf32>
!n = tensor<?xi32>

// Through a causal attention the demanded rows of its operands are those of its
// result: a query within the lengths reads no key behind it.

// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: hk.attention {{[^l]*}}{causal
func.func @two(%x: !x, %n: !n) -> !x {
  %a = hk.attention %x, %x, %x lengths(%n) {num_heads = 1 : i32, causal}
      : !x, !x, !x, !n
  %b = hk.attention %a, %a, %a lengths(%n) {num_heads = 1 : i32, causal}
      : !x, !x, !x, !n
  %y = hk.mask_rows %b lengths(%n) : !x, !n
  return %y : !x
}
