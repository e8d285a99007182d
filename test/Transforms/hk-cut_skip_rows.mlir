// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-cut | FileCheck %s
// RUN: hk-opt %s -hk-cut -remarks-filter-passed="hk-cut" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!n = tensor<?xi32>
!m = tensor<?x8xi1>
!w = tensor<16x16xf32>

hk.packed @w layers(0 to 2) : !w {
^bb0(%l: index):
  %w = hk.param "l.{}.w"[%l] from f32 : tensor<16x16xf64>
  hk.yield %w : tensor<16x16xf64>
}

// Everything before the last mask is read in valid rows only, also through a
// causal attention. The mask is a new operand, before the layer, unless the
// kernel has it already. What the mask makes zero is read whole.
// CHECK-LABEL: func.func private @prefix(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x16xf32>, %[[N:.*]]: tensor<?xi32>
// CHECK:         scf.for %[[L:[a-z0-9]*]] =
// CHECK:           hk.kernel @norm(%{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %[[N]] : tensor<?xi32>) -> (tensor<?x8x16xf32>) scope(row) skip_rows(1) {
// CHECK:           hk.kernel @attention(%{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %[[N]] : tensor<?xi32>) -> (tensor<?x8x16xf32>) scope(row) skip_rows(1) {
// CHECK:           hk.kernel @linear(%{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %[[N]] : tensor<?xi32>, %{{.*}} = %[[L]] : index) -> (tensor<?x8x16xf32>) scope(row) skip_rows(2) {
// CHECK:         hk.kernel @mask_rows(%{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %[[N]] : tensor<?xi32>) -> (tensor<?x8x16xf32>) scope(row) {
// REMARK: remark: [Passed] SkipRows | Category:hk-cut | Function=prefix | Remark="kernel @norm may skip rows that are not valid under its operand 1"
func.func private @prefix(%x: !x, %n: !n) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %l = %c0 to %c2 step %c1 iter_args(%t = %x) -> (!x) {
    %h = hk.rms_norm %t : !x
    %c = hk.attention %h, %h, %h {num_heads = 2 : i32, causal} : !x, !x, !x
    %w = hk.packed.get @w[%l] : !w
    %o = hk.linear %c, %w : !x, !w
    %s = hk.add %t, %o : !x, !x
    scf.yield %s : !x
  }
  %y = hk.mask_rows %r lengths(%n) : !x, !n
  return %y : !x
}

// Keys and values of all valid rows, but queries of all rows: the mask of the
// attention is that of its keys. A kernel of which all rows are read computes
// them.
// CHECK-LABEL: func.func private @keys(
// CHECK:         hk.kernel @norm(%{{.*}} = %{{.*}} : tensor<?x8x16xf32>, %{{.*}} = %{{.*}} : tensor<?x8xi1>) -> (tensor<?x8x16xf32>) scope(row) skip_rows(1) {
// CHECK:         hk.kernel @attention({{.*}}) -> (tensor<?x8x16xf32>) scope(row) {
func.func private @keys(%x: !x, %m: !m) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %k = hk.rms_norm %x : !x
  %c = hk.attention %x, %k, %k key_mask(%m) {num_heads = 2 : i32} : !x, !x, !x, !m
  return %c : !x
}

// Read under one mask here and another there: any row may be read.
// CHECK-LABEL: func.func private @two(
// CHECK-NOT:     skip_rows
func.func private @two(%x: !x, %n: !n, %m: !m) -> (!x, !x) attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %a = hk.attention %x, %x, %x {num_heads = 2 : i32} : !x, !x, !x
  %b = hk.mask_rows %a lengths(%n) : !x, !n
  %d = hk.mask_rows %a key_mask(%m) : !x, !m
  return %b, %d : !x, !x
}

// On a CPU, blocks of rows are computed whole.
// CHECK-LABEL: func.func @cpu(
// CHECK-NOT:     skip_rows
func.func @cpu(%x: !x, %n: !n) -> !x {
  %h = hk.rms_norm %x : !x
  %c = hk.attention %h, %h, %h {num_heads = 2 : i32, causal} : !x, !x, !x
  %y = hk.mask_rows %c lengths(%n) : !x, !n
  return %y : !x
}
