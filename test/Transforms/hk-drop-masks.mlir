// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-drop-masks | FileCheck %s
// Dropping again changes nothing.
// RUN: hk-opt %s -split-input-file -hk-drop-masks -hk-drop-masks | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-drop-masks -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!n = tensor<?xi32>

// Everything on the way from the attention to the mask_rows at the end works
// row by row.
// REMARK: remark: [Passed] MaskDropped | Category:hk-drop-masks | Function=row_ops | Remark="lengths dropped: the attention is causal, and no row past the length is read"
// REMARK: remark: [Passed] RowsDropped | Category:hk-drop-masks | Function=row_ops | Remark="hk.mask_rows dropped: no row that it zeroes is read"
// CHECK-LABEL: func.func @row_ops(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>, %[[N:.*]]: tensor<?xi32>
// CHECK: %[[C:.*]] = hk.attention %[[X]], %[[X]], %[[X]] {causal, num_heads = 2 : i32} : tensor<?x8x16xf32>, tensor<?x8x16xf32>, tensor<?x8x16xf32>
// CHECK: %[[O:.*]] = hk.linear %[[C]]
// CHECK: %[[R:.*]] = hk.add %[[X]], %[[O]]
// CHECK: %[[M:.*]] = hk.rms_norm %[[R]]
// CHECK: %[[A:.*]] = hk.activation relu %[[M]]
// CHECK: %[[P:.*]] = hk.mul %[[A]], %[[R]]
// CHECK: %[[Y:.*]] = hk.mask_rows %[[P]] lengths(%[[N]])
// CHECK: return %[[Y]]
func.func @row_ops(%x: !x, %n: !n) -> !x {
  %w = hk.param "w" : !w
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %o = hk.linear %c, %w : !x, !w
  %om = hk.mask_rows %o lengths(%n) : !x, !n
  %r = hk.add %x, %om : !x, !x
  %m = hk.rms_norm %r : !x
  %a = hk.activation relu %m : !x
  %p = hk.mul %a, %r : !x, !x
  %y = hk.mask_rows %p lengths(%n) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// The keys and values of a causal attention whose demanded queries are a
// prefix: the same prefix. So the first attention loses its lengths, too, and
// so does the mask_rows between.
// CHECK-LABEL: func.func @two_attentions(
// CHECK: %[[A:.*]] = hk.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, num_heads = 2 : i32}
// CHECK-NEXT: %[[B:.*]] = hk.attention %[[A]], %[[A]], %[[A]] {causal, num_heads = 2 : i32}
// CHECK-NEXT: hk.mask_rows %[[B]]
func.func @two_attentions(%x: !x, %n: !n) -> !x {
  %a = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %m = hk.mask_rows %a lengths(%n) : !x, !n
  %b = hk.attention %m, %m, %m lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %y = hk.mask_rows %b lengths(%n) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// Masked keys are not read at all, so the rows of keys and values that the
// second attention masks may hold anything, although all its queries are read.
// The query's may not.
// CHECK-LABEL: func.func @keys_of_a_mask(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>, %[[N:.*]]: tensor<?xi32>
// CHECK: %[[K:.*]] = hk.attention %[[X]], %[[X]], %[[X]] {causal, num_heads = 2 : i32}
// CHECK-NEXT: %[[Q:.*]] = hk.mask_rows %[[X]] lengths(%[[N]])
// CHECK-NEXT: %[[Y:.*]] = hk.attention %[[Q]], %[[K]], %[[X]] lengths(%[[N]]) {num_heads = 2 : i32}
func.func @keys_of_a_mask(%x: !x, %n: !n) -> !x {
  %k = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %q = hk.mask_rows %x lengths(%n) : !x, !n
  %v = hk.mask_rows %x lengths(%n) : !x, !n
  %y = hk.attention %q, %k, %v lengths(%n) {num_heads = 2 : i32} : !x, !x, !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!n = tensor<?xi32>

// Around a loop: what an iteration hands on is demanded where the next one, or
// the use of the loop, demands it.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[R:.*]] = scf.for
// CHECK: %[[C:.*]] = hk.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, num_heads = 2 : i32}
// CHECK: %[[S:.*]] = hk.add %{{.*}}, %[[C]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: %[[N:.*]] = hk.layer_norm %[[R]]
// CHECK: hk.mask_rows %[[N]]
func.func @loop(%x: !x, %n: !n) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %l = %c0 to %c4 step %c1 iter_args(%t = %x) -> (!x) {
    %w = hk.param "{}.w"[%l] : !w
    %q = hk.linear %t, %w : !x, !w
    %c = hk.attention %q, %q, %q lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
    %s = hk.add %t, %c : !x, !x
    %m = hk.mask_rows %s lengths(%n) : !x, !n
    scf.yield %m : !x
  }
  %norm = hk.layer_norm %r : !x
  %y = hk.mask_rows %norm lengths(%n) : !x, !n
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!m = tensor<?x8xi1>

// An inner mask_rows by a key_mask; the attention masks by it, too.
// CHECK-LABEL: func.func @key_mask(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>, %[[M:.*]]: tensor<?x8xi1>
// CHECK: %[[C:.*]] = hk.attention %[[X]], %[[X]], %[[X]] key_mask(%[[M]])
// CHECK-NEXT: %[[R:.*]] = hk.add %[[C]], %[[X]]
// CHECK-NEXT: hk.mask_rows %[[R]] key_mask(%[[M]])
func.func @key_mask(%x: !x, %m: !m) -> !x {
  %v = hk.mask_rows %x key_mask(%m) : !x, !m
  %c = hk.attention %x, %x, %v key_mask(%m) {num_heads = 2 : i32, causal} : !x, !x, !x, !m
  %o = hk.mask_rows %c key_mask(%m) : !x, !m
  %r = hk.add %o, %x : !x, !x
  %y = hk.mask_rows %r key_mask(%m) : !x, !m
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!h = tensor<?x8x8xf32>
!y = tensor<?x8x8xf16>
!n = tensor<?xi32>

// Through split and cast.
// CHECK-LABEL: func.func @split_and_cast(
// CHECK: hk.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, num_heads = 2 : i32}
func.func @split_and_cast(%x: !x, %n: !n) -> (!y, !h) {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %a, %b = hk.split %c : !x -> !h, !h
  %a16 = hk.cast %a : !h to !y
  %ya = hk.mask_rows %a16 lengths(%n) : !y, !n
  %yb = hk.mask_rows %b lengths(%n) : !h, !n
  return %ya, %yb : !y, !h
}

// -----

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>

// An oracle is not touched.
// CHECK-LABEL: func.func @oracle(
// CHECK: hk.attention {{.*}} lengths(
func.func @oracle(%x: !x, %n: !n) -> !x attributes {hk.oracle_of = @f} {
  %c = hk.attention %x, %x, %x lengths(%n) {num_heads = 2 : i32, causal} : !x, !x, !x, !n
  %y = hk.mask_rows %c lengths(%n) : !x, !n
  return %y : !x
}
