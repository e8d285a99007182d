// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-outline | FileCheck %s

!x = tensor<?x100x64xf32>
!s = tensor<?x100x192xf16>
!n = tensor<?xi32>
#gemm = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 128, heads = 0, block = 128, depth = 64, keys = 64, stages = 3, operands = f16>
#slower = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 64, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
// Four blocks of rows, by twos.
#attention = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 2, operands = f16, row_blocks = 2>
// Two sequences of 112 rows a CTA.
#projection = #hk.cuda<arch = "sm_90a", rows = 224, units = 14, columns = 0, heads = 2, block = 64, depth = 64, keys = 16, stages = 2, operands = f16>
#line = #hk.cuda<arch = "sm_90a", rows = 16, units = 8, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 2, operands = f16>

// 2 blocks of 64 rows by 2 runs of 128 features; 2 pairs of blocks of 32 rows by
// 4 heads; 7 blocks of 16 rows; two sequences that compute their keys, by 2
// runs of 2 heads.
// CHECK-DAG:   #[[GEMM:.*]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK-DAG:   #[[ATTENTION:.*]] = affine_map<()[s0] -> (s0 * 8)>
// CHECK-DAG:   #[[LINE:.*]] = affine_map<()[s0] -> (s0 * 7)>
// CHECK-DAG:   #[[PROJECTION:.*]] = affine_map<()[s0] -> ((s0 ceildiv 2) * 2)>
// Values of f16 have 2 bytes: 100 * 192 * 2 = 38400, and 100 * 64 * 4 = 25600.
// CHECK-DAG:   #[[WORK:.*]] = affine_map<()[s0] -> (s0 * 64000)>

// Weights keep their layout: the code of a GPU has its own.
// CHECK-NOT:   #hk.panels
// CHECK:       hk.executable @linear {
// CHECK:         hk.variant #hk.cuda{{.*}} grid(#[[GEMM]]) attributes {hk.predicted_us = 1.500000e+00 : f64} {
// CHECK:           hk.packed.get @w : tensor<192x64xf32>
// CHECK:         hk.variant #hk.cuda{{.*}} columns = 64{{.*}} {hk.predicted_us = 2.500000e+00 : f64} {
// CHECK:       hk.executable @attention {
// CHECK:         hk.variant #hk.cuda{{.*}} grid(#[[ATTENTION]])
// CHECK:       hk.executable @norm {
// CHECK:         hk.variant #hk.cuda{{.*}} grid(#[[LINE]]) skip_rows(1)
// CHECK:       hk.executable @norm_0 {
// CHECK:         hk.variant #hk.cuda{{.*}} grid(#[[LINE]]) attributes

// The clone becomes a plan of the original, under its own name. Its time is
// that of its dispatches: 1.5 + 3 + 0.25 + 0.25.
// CHECK:       hk.plan @f.sm_90a.safe of @f rank(1) role(safe) workspace(#[[WORK]]) attributes {hk.predicted_batch = 64 : i64, hk.predicted_us = 5.000000e+00 : f64} {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: tensor<?x100x64xf32>, %[[N:.*]]: tensor<?xi32>):
// CHECK-NEXT:    %[[S:.*]] = hk.dispatch @linear(%[[X]]) at([#hk.workspace<0>]) : (tensor<?x100x64xf32>) -> tensor<?x100x192xf16>
// CHECK-NEXT:    %[[A:.*]] = hk.dispatch @attention(%[[S]]) at([#hk.workspace<38400>])
// CHECK-NEXT:    %[[Y:.*]] = hk.dispatch @norm(%[[A]], %[[N]]) at([#hk.workspace<0>])
// CHECK-NEXT:    hk.dispatch @norm_0(%[[Y]], %[[N]]) at([#hk.result<0>])
// CHECK:       func.func private @f(
// CHECK-NOT:   func.func
hk.packed @w : tensor<192x64xf32> {
  %z = hk.param "w" from f32 : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}
func.func private @f.sm_90a.safe(%x: !x, %n: !n) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %s = hk.kernel @linear(%a = %x : !x) -> (!s) scope(row) schedules [#gemm, #slower] {
    %w = hk.packed.get @w : tensor<192x64xf32>
    %o = hk.linear %a, %w : !x, tensor<192x64xf32>
    %c = hk.cast %o : tensor<?x100x192xf32> to !s
    hk.yield %c : !s
  } attributes {hk.predicted_batch = 64 : i64, hk.predicted_us = array<f64: 1.5, 2.5>}
  %c = hk.kernel @attention(%a = %s : !s) -> (!x) scope(row) schedules [#attention] {
    %w = hk.cast %a : !s to tensor<?x100x192xf32>
    %0:3 = hk.split %w : tensor<?x100x192xf32> -> !x, !x, !x
    %o = hk.attention %0#0, %0#1, %0#2 {num_heads = 4 : i32} : !x, !x, !x
    hk.yield %o : !x
  } attributes {hk.predicted_batch = 64 : i64, hk.predicted_us = array<f64: 3.0>}
  // The same but for the rows that may be skipped: two executables.
  %y = hk.kernel @norm(%a = %c : !x, %b = %n : !n) -> (!x) scope(row) schedules [#line] skip_rows(1) {
    %o = hk.rms_norm %a : !x
    hk.yield %o : !x
  } attributes {hk.predicted_batch = 64 : i64, hk.predicted_us = array<f64: 0.25>}
  %z = hk.kernel @norm(%a = %y : !x, %b = %n : !n) -> (!x) scope(row) schedules [#line] {
    %o = hk.rms_norm %a : !x
    hk.yield %o : !x
  } attributes {hk.predicted_batch = 64 : i64, hk.predicted_us = array<f64: 0.25>}
  return %z : !x
}
func.func private @f(!x, !n) -> !x

// CHECK-LABEL: hk.executable @projection {
// CHECK:         hk.variant #hk.cuda{{.*}} grid(#[[PROJECTION]])
hk.packed @square : tensor<64x64xf32> {
  %z = hk.param "square" from f32 : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}
func.func private @g.sm_90a.projected(%x: !x) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @g, hk.rank = 1 : i64, hk.role = "candidate"} {
  %y = hk.kernel @projection(%a = %x : !x) -> (!x) scope(sequence) schedules [#projection] {
    %w = hk.packed.get @square : tensor<64x64xf32>
    %k = hk.linear %a, %w : !x, tensor<64x64xf32>
    %o = hk.attention %a, %k, %a {num_heads = 4 : i32} : !x, !x, !x
    hk.yield %o : !x
  }
  return %y : !x
}
func.func private @g(!x) -> !x
