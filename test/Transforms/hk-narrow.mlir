// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-narrow | FileCheck %s
// RUN: hk-opt %s -hk-narrow -hk-narrow | FileCheck %s
// RUN: hk-opt %s -hk-narrow -remarks-filter="hk-narrow" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!qkv = tensor<?x8x48xf32>

hk.packed @w : tensor<48x16xf32> {
  %z = hk.pack.zeros : tensor<48x16xf64>
  hk.yield %z : tensor<48x16xf64>
}

// The input of a linear operation; queries, keys and values, through views;
// two readers.
// CHECK-LABEL: func.func private @operands(
// CHECK:         %[[H:.*]] = hk.kernel @norm(%[[A:.*]] = %{{.*}} : tensor<?x8x16xf32>) -> (tensor<?x8x16xf16>) scope(row) {
// CHECK-NEXT:      %[[N:.*]] = hk.rms_norm %[[A]] : tensor<?x8x16xf32>
// CHECK-NEXT:      %[[S:.*]] = hk.cast %[[N]] : tensor<?x8x16xf32> to tensor<?x8x16xf16>
// CHECK-NEXT:      hk.yield %[[S]] : tensor<?x8x16xf16>
// CHECK:         %[[QKV:.*]] = hk.kernel @linear(%[[B:.*]] = %[[H]] : tensor<?x8x16xf16>) -> (tensor<?x8x48xf16>) scope(row) {
// CHECK-NEXT:      %[[C:.*]] = hk.cast %[[B]] : tensor<?x8x16xf16> to tensor<?x8x16xf32>
// CHECK-NEXT:      hk.packed.get
// CHECK-NEXT:      %[[L:.*]] = hk.linear %[[C]], %{{.*}} : tensor<?x8x16xf32>, tensor<48x16xf32>
// CHECK-NEXT:      hk.cast %[[L]] : tensor<?x8x48xf32> to tensor<?x8x48xf16>
// CHECK:         hk.kernel @attention(%[[D:.*]] = %[[QKV]] : tensor<?x8x48xf16>) -> (tensor<?x8x16xf32>) scope(row) {
// CHECK-NEXT:      %[[E:.*]] = hk.cast %[[D]] : tensor<?x8x48xf16> to tensor<?x8x48xf32>
// CHECK-NEXT:      hk.split %[[E]]
// CHECK-NEXT:      hk.attention
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @attention(%{{.*}} = %[[H]] : tensor<?x8x16xf16>, %{{.*}} = %{{.*}} : tensor<?x8x16xf32>) -> (tensor<?x8x16xf32>)
// REMARK: remark: [Passed] Narrowed | Category:hk-narrow | Function=operands | Remark="result 0 of kernel @norm is stored as f16: only matrix units read it"
// REMARK: remark: [Passed] Narrowed | Category:hk-narrow | Function=operands | Remark="result 0 of kernel @linear is stored as f16: only matrix units read it"
func.func private @operands(%x: !x) -> (!x, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %h = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    hk.yield %n : !x
  }
  %qkv = hk.kernel @linear(%b = %h : !x) -> (!qkv) scope(row) {
    %w = hk.packed.get @w : tensor<48x16xf32>
    %l = hk.linear %b, %w : !x, tensor<48x16xf32>
    hk.yield %l : !qkv
  }
  %y = hk.kernel @attention(%p = %qkv : !qkv) -> (!x) scope(row) {
    %0:3 = hk.split %p : !qkv -> !x, !x, !x
    %c = hk.attention %0#0, %0#1, %0#2 {num_heads = 2 : i32} : !x, !x, !x
    hk.yield %c : !x
  }
  %z = hk.kernel @attention(%q = %h : !x, %k = %x : !x) -> (!x) scope(row) {
    %c = hk.attention %q, %k, %k {num_heads = 2 : i32} : !x, !x, !x
    hk.yield %c : !x
  }
  return %y, %z : !x, !x
}

// What a loop carries, from one kernel to the next, and out of the loop.
// CHECK-LABEL: func.func private @carried(
// CHECK:         %[[T0:.*]] = hk.kernel @norm({{.*}} -> (tensor<?x8x16xf16>)
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[T0]]) -> (tensor<?x8x16xf16>) {
// CHECK-NEXT:      %[[Y:.*]] = hk.kernel @attention(%{{.*}} = %[[T]] : tensor<?x8x16xf16>) -> (tensor<?x8x16xf16>)
// CHECK:           scf.yield %[[Y]] : tensor<?x8x16xf16>
// CHECK:         hk.kernel @attention(%{{.*}} = %[[R]] : tensor<?x8x16xf16>) -> (tensor<?x8x16xf32>)
func.func private @carried(%x: !x) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    hk.yield %n : !x
  }
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%t = %t0) -> (!x) {
    %c = hk.kernel @attention(%a = %t : !x) -> (!x) scope(row) {
      %y = hk.attention %a, %a, %a {num_heads = 2 : i32} : !x, !x, !x
      hk.yield %y : !x
    }
    scf.yield %c : !x
  }
  %z = hk.kernel @attention(%a = %r : !x) -> (!x) scope(row) {
    %y = hk.attention %a, %a, %a {num_heads = 2 : i32} : !x, !x, !x
    hk.yield %y : !x
  }
  return %z : !x
}
