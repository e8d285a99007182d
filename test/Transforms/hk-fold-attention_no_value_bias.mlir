// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-attention | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-attention -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>
!m = tensor<?x8xi1>

// Left padding and no mask_rows: the first rows see no key, give zeros, and
// are read. They must not get W_o b_v.
// REMARK: remark: [Missed] ValueBiasKept | Category:hk-fold-attention | Function=left_padding | Remark="expects every row that is read to see a key, but an invalid row, which may see none, is read"
// CHECK-LABEL: func.func @left_padding(
// CHECK: %[[B:.*]] = hk.param "b"
// CHECK: hk.linear %{{.*}}, %{{.*}}, %[[B]]
// CHECK: hk.attention
// CHECK-NEXT: hk.linear
func.func @left_padding(%x: !x, %m: !m) -> !x {
  %w = hk.param "w" : !w
  %b = hk.param "b" : !v
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %k, %v key_mask(%m) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>
!n = tensor<?xi32>

// A length may be 0, and then no row sees a key.
// REMARK: Function=lengths | Remark="expects every row that is read to see a key, but an invalid row, which may see none, is read"
// CHECK-LABEL: func.func @lengths(
// CHECK-NOT: hk.pack.matvec
// CHECK: return
func.func @lengths(%x: !x, %n: !n) -> !x {
  %w = hk.param "w" : !w
  %b = hk.param "b" : !v
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %k, %v lengths(%n) {num_heads = 4 : i32} : !x, !x, !x, !n
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!k = tensor<?x8x8xf32>
!w = tensor<16x16xf32>
!u = tensor<8x16xf32>
!b = tensor<8xf32>

// REMARK: Function=grouped | Remark="expects as many key and value heads as query heads (4), but got 2"
// CHECK-LABEL: func.func @grouped(
// CHECK-NOT: hk.pack.matvec
// CHECK: return
func.func @grouped(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %u = hk.param "u" : !u
  %b = hk.param "b" : !b
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %u : !x, !u
  %v = hk.linear %x, %u, %b : !x, !u, !b
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !k, !k
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// REMARK: Function=value_uses | Remark="expects the value to be used by this attention alone, but got other uses"
// REMARK: Function=value_uses | Remark="expects one use of the result, as the input of hk.linear, but got more or none"
// REMARK: Function=value_uses | Remark="expects the result to be the input of hk.linear, but got hk.mask_rows"
// CHECK-LABEL: func.func @value_uses(
// CHECK-NOT: hk.pack.matvec
// CHECK: return
func.func @value_uses(%x: !x, %n: tensor<?xi32>) -> (!x, !x, !x, !x) {
  %w = hk.param "w" : !w
  %b = hk.param "b" : !v
  %q0 = hk.linear %x, %w : !x, !w
  %v0 = hk.linear %x, %w, %b : !x, !w, !v
  %c0 = hk.attention %q0, %x, %v0 {num_heads = 4 : i32} : !x, !x, !x
  %y0 = hk.linear %c0, %w : !x, !w
  %q1 = hk.linear %x, %w : !x, !w
  %v1 = hk.linear %x, %w, %b : !x, !w, !v
  %c1 = hk.attention %q1, %x, %v1 {num_heads = 4 : i32} : !x, !x, !x
  %y1 = hk.linear %c1, %w : !x, !w
  %q2 = hk.linear %x, %w : !x, !w
  %v2 = hk.linear %x, %w, %b : !x, !w, !v
  %c2 = hk.attention %q2, %x, %v2 {num_heads = 4 : i32} : !x, !x, !x
  %m2 = hk.mask_rows %c2 lengths(%n) : !x, tensor<?xi32>
  %y2 = hk.linear %m2, %w : !x, !w
  %s = hk.add %v0, %y0 : !x, !x
  return %s, %y1, %c1, %y2 : !x, !x, !x, !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// REMARK: Function=parameters | Remark="expects linears with a weight and a bias made of parameters alone, but got another value"
// CHECK-LABEL: func.func @parameters(
// CHECK-NOT: hk.pack.matvec
// CHECK: return
func.func @parameters(%x: !x, %b: !v) -> !x {
  %w = hk.param "w" : !w
  %q = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %x, %v {num_heads = 4 : i32} : !x, !x, !x
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!h = tensor<16x16xf16>
!v = tensor<16xf32>

// REMARK: Function=element_types | Remark="expects the linears before and after to have parameters of one element type, but got two"
// CHECK-LABEL: func.func @element_types(
// CHECK-NOT: hk.pack.matvec
// CHECK: return
func.func @element_types(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %h = hk.param "h" : !h
  %b = hk.param "b" : !v
  %q = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %x, %v {num_heads = 4 : i32} : !x, !x, !x
  %y = hk.linear %c, %h : !x, !h
  return %y : !x
}
