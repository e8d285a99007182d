// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -hk-assign-schedules -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{candidates=1 assumed-batch=1}))" | FileCheck %s -check-prefix=ONE
// RUN: hk-opt %s -hk-assign-schedules -remarks-filter="hk-assign-schedules" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{cublaslt=false}))" | FileCheck %s -check-prefix=OFF
// One kernel of each family. What is predicted is tested by the unit tests;
// here, that the best few become schedules, with their times and the reasons.

!x = tensor<?x128x256xf32>
!s = tensor<?x128x256xf16>
!qkv = tensor<?x128x768xf16>

hk.packed @w : tensor<256x256xf32> {
  %z = hk.pack.zeros : tensor<256x256xf64>
  hk.yield %z : tensor<256x256xf64>
}

hk.packed @wide : tensor<2048x2048xf32> {
  %z = hk.pack.zeros : tensor<2048x2048xf64>
  hk.yield %z : tensor<2048x2048xf64>
}

// CHECK-LABEL: func.func private @families(
// ONE-LABEL: func.func private @families(
// ONE:         hk.kernel @line({{.*}} schedules [#hk.cuda<{{[^>]*}}>] {
// ONE:         } attributes {hk.predicted_batch = 1 : i64, hk.predicted_us = array<f64: {{[0-9.]+}}>}
// ONE:         hk.kernel @gemm({{.*}} columns = 32,{{[^>]*}}>, #hk.cublaslt<operands = f16>] {
// REMARK: remark: [Analysis] Schedule | Category:hk-assign-schedules | Function=families | Remark="kernel @line: #hk.cuda<arch = "sm_90a"
// REMARK: remark: [Analysis] Predicted |{{.*}} Remark="kernel @line: rows {{[0-9]+}}, units {{[0-9]+}}: {{[0-9.]+}} us (issue {{[0-9.]+}}, L2 {{[0-9.]+}}, latency {{[0-9.]+}}, launch 1.3; {{[0-9.]+}} waves of {{[0-9]+}} CTAs an SM) for 64 sequences"
// REMARK: remark: [Missed] Slower |{{.*}} Remark="kernel @line: of 20 schedules that fit, the next is rows {{[0-9]+}}, units {{[0-9]+}}: {{[0-9.]+}} us (
// REMARK: Remark="kernel @gemm: #hk.cublaslt<operands = f16>"
// REMARK: remark: [Missed] Refused |{{.*}} Remark="kernel @gemm: {{[0-9]+}} schedules refused for shared memory, the first with rows 16, units 1, columns 256, depth 128, stages 4: a CTA would need 278528 bytes of shared memory, above the limit of 232448"
// REMARK: remark: [Missed] Refused |{{.*}} Remark="kernel @gemm: {{[0-9]+}} schedules refused for registers, the first with rows 32, units 1, columns 256, depth 32, stages 2: {{[0-9]+}} threads would need about {{[0-9]+}} registers each, but a thread has 255 at most and an SM 65536"
// REMARK: remark: [Missed] Refused |{{.*}} Remark="kernel @chain: {{[0-9]+}} schedules refused for shape, the first with rows 32, units 1, block 32, keys 64, stages 2: a row of 256 features does not fit into the registers of a warp with 32 rows, which hold 224"
func.func private @families(%x: !x, %s: !s, %qkv: !qkv) -> (!s, !x, !x, !x, !x, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  // CHECK: hk.kernel @line({{.*}} schedules [#hk.cuda<arch = "sm_90a", rows = {{[0-9]+}}, units = {{[0-9]+}}, columns = 0, heads = 0,{{.*}} operands = f16>, #hk.cuda<{{.*}}>, #hk.cuda<{{.*}}>] {
  %0 = hk.kernel @line(%a = %x : !x) -> (!s) scope(row) {
    %n = hk.rms_norm %a : !x
    %c = hk.cast %n : !x to !s
    hk.yield %c : !s
  }
  // Both instructions of the matrix units are tried.
  // CHECK: hk.kernel @gemm({{.*}} columns = 128, heads = 0, block = 128,{{[^>]*}}, mma = wgmma, ctas = {{[12]}}>, {{(#hk.cuda<[^>]*>, )?}}#hk.cuda<{{[^>]*}} operands = f16>, {{(#hk.cuda<[^>]*>, )?}}#hk.cublaslt<operands = f16>] {
  // OFF: hk.kernel @gemm({{.*}} operands = f16{{[^>]*}}>] {
  %1 = hk.kernel @gemm(%a = %s : !s, %b = %x : !x) -> (!x) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %y = hk.add %b, %l : !x, !x
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @attention({{.*}} columns = 0, heads = {{[124]}},{{.*}}, #hk.cuda<{{.*}}, #hk.cuda<
  %2 = hk.kernel @attention(%a = %qkv : !qkv) -> (!x) scope(row) {
    %c = hk.cast %a : !qkv to tensor<?x128x768xf32>
    %t:3 = hk.split %c : tensor<?x128x768xf32> -> !x, !x, !x
    %y = hk.attention %t#0, %t#1, %t#2 {num_heads = 8 : i32} : !x, !x, !x
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @chain({{.*}} columns = 0, heads = 0,{{.*}}, #hk.cuda<{{.*}}, #hk.cuda<
  %3 = hk.kernel @chain(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %y = hk.linear %n, %w : !x, tensor<256x256xf32>
    hk.yield %y : !x
  }
  // Two linear operations, and attention with something behind it.
  // CHECK: hk.kernel @two({{.*}} columns = 0, heads = 0,
  %4 = hk.kernel @two(%a = %x : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %a, %w : !x, tensor<256x256xf32>
    %y = hk.linear %l, %w : !x, tensor<256x256xf32>
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @front({{.*}} columns = 0, heads = 0,
  %5 = hk.kernel @front(%a = %x : !x) -> (!x) scope(row) {
    %c = hk.attention %a, %a, %a {num_heads = 8 : i32} : !x, !x, !x
    %y = hk.add %a, %c : !x, !x
    hk.yield %y : !x
  }
  return %0, %1, %2, %3, %4, %5 : !s, !x, !x, !x, !x, !x
}

// The reference has one schedule.
// CHECK-LABEL: func.func private @reference(
// CHECK:         schedules [#hk.cuda<arch = "sm_80",{{[^>]*}} operands = tf32x3>] {
func.func private @reference(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "tf32x3", hk.plan = "reference", hk.plan_of = @f, hk.rank = 2 : i64, hk.role = "reference"} {
  %y = hk.kernel @gemm(%a = %x : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %a, %w : !x, tensor<256x256xf32>
    hk.yield %l : !x
  }
  return %y : !x
}

// The memory of an H200 is faster than that of an H100.
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{devices=h100,a100}))" -remarks-filter="hk-assign-schedules" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=DEVICE
// RUN: not hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{devices=abacus}))" 2>&1 | FileCheck %s -check-prefix=UNKNOWN
// REMARK: Function=large | Remark="kernel @line: {{.*}} memory 121.9,{{.*}} for 1000 sequences"
// DEVICE: Function=large | Remark="kernel @line: {{.*}} memory {{1[5-9][0-9].[0-9]}}
// UNKNOWN: error: 'hk.kernel' op expects devices of a100, {{.*}}, but got 'abacus'
func.func private @large(%x: tensor<1000x1024x64xf32>) -> tensor<1000x1024x64xf32> attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %y = hk.kernel @line(%a = %x : tensor<1000x1024x64xf32>) -> (tensor<1000x1024x64xf32>) scope(row) {
    %r = hk.rms_norm %a : tensor<1000x1024x64xf32>
    hk.yield %r : tensor<1000x1024x64xf32>
  }
  return %y : tensor<1000x1024x64xf32>
}

// A row that no warp can hold: the rules choose, and hk-to-tile will refuse it.
// CHECK-LABEL: func.func private @none(
// CHECK:         schedules [#hk.cuda<{{[^>]*}}>] {
// CHECK-NOT:     hk.predicted_us
// REMARK: remark: [Missed] NotPredicted |{{.*}} Function=none | Remark="kernel @chain: no schedule is known to fit; rows 64, units 4, block 64, keys 64, stages 4 is that of the rules"
func.func private @none(%x: tensor<?x64x2048xf32>) -> tensor<?x64x2048xf32> attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %y = hk.kernel @chain(%a = %x : tensor<?x64x2048xf32>) -> (tensor<?x64x2048xf32>) scope(row) {
    %w = hk.packed.get @wide : tensor<2048x2048xf32>
    %n = hk.rms_norm %a : tensor<?x64x2048xf32>
    %r = hk.linear %n, %w : tensor<?x64x2048xf32>, tensor<2048x2048xf32>
    hk.yield %r : tensor<?x64x2048xf32>
  }
  return %y : tensor<?x64x2048xf32>
}
