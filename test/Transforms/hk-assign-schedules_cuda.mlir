// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -hk-assign-schedules -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -hk-assign-schedules -remarks-filter="hk-assign-schedules" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{cublaslt=false}))" | FileCheck %s -check-prefix=OFF
// One kernel of each family; the numbers are those of the unit tests.

!x = tensor<?x128x256xf32>
!s = tensor<?x128x256xf16>
!qkv = tensor<?x128x768xf16>

hk.packed @w : tensor<256x256xf32> {
  %z = hk.pack.zeros : tensor<256x256xf64>
  hk.yield %z : tensor<256x256xf64>
}

// CHECK-LABEL: func.func private @families(
// REMARK: remark: [Analysis] Schedule | Category:hk-assign-schedules | Function=families | Remark="kernel @line: #hk.cuda<arch = "sm_90a"
// REMARK: Remark="kernel @gemm: #hk.cublaslt<operands = f16>"
func.func private @families(%x: !x, %s: !s, %qkv: !qkv) -> (!s, !x, !x, !x, !x, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  // CHECK: hk.kernel @line({{.*}} schedules [#hk.cuda<arch = "sm_90a", rows = 16, units = 8, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 2, operands = f16>] {
  %0 = hk.kernel @line(%a = %x : !x) -> (!s) scope(row) {
    %n = hk.rms_norm %a : !x
    %c = hk.cast %n : !x to !s
    hk.yield %c : !s
  }
  // CHECK: hk.kernel @gemm({{.*}} schedules [#hk.cuda<arch = "sm_90a", rows = 128, units = 4, columns = 128, heads = 0, block = 128, depth = 64, keys = 64, stages = 3, operands = f16>, #hk.cublaslt<operands = f16>] {
  // OFF: hk.kernel @gemm({{.*}} operands = f16>] {
  %1 = hk.kernel @gemm(%a = %s : !s, %b = %x : !x) -> (!x) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %y = hk.add %b, %l : !x, !x
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @attention({{.*}} schedules [#hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 2, operands = f16>] {
  %2 = hk.kernel @attention(%a = %qkv : !qkv) -> (!x) scope(row) {
    %c = hk.cast %a : !qkv to tensor<?x128x768xf32>
    %t:3 = hk.split %c : tensor<?x128x768xf32> -> !x, !x, !x
    %y = hk.attention %t#0, %t#1, %t#2 {num_heads = 8 : i32} : !x, !x, !x
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @chain({{.*}} schedules [#hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 4, operands = f16>] {
  %3 = hk.kernel @chain(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %y = hk.linear %n, %w : !x, tensor<256x256xf32>
    hk.yield %y : !x
  }
  // Two linear operations, and attention with something behind it.
  // CHECK: hk.kernel @two({{.*}} rows = 64, units = 4, columns = 0, heads = 0,
  %4 = hk.kernel @two(%a = %x : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %a, %w : !x, tensor<256x256xf32>
    %y = hk.linear %l, %w : !x, tensor<256x256xf32>
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @front({{.*}} rows = 64, units = 4, columns = 0, heads = 0,
  %5 = hk.kernel @front(%a = %x : !x) -> (!x) scope(row) {
    %c = hk.attention %a, %a, %a {num_heads = 8 : i32} : !x, !x, !x
    %y = hk.add %a, %c : !x, !x
    hk.yield %y : !x
  }
  return %0, %1, %2, %3, %4, %5 : !s, !x, !x, !x, !x, !x
}

// The reference: f32 in tiles of the same bytes.
// CHECK-LABEL: func.func private @reference(
// CHECK:         #hk.cuda<arch = "sm_80", rows = 128, units = 4, columns = 64, heads = 0, block = 64, depth = 32, keys = 32, stages = 3, operands = tf32x3>] {
func.func private @reference(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "tf32x3", hk.plan = "reference", hk.plan_of = @f, hk.rank = 2 : i64, hk.role = "reference"} {
  %y = hk.kernel @gemm(%a = %x : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %a, %w : !x, tensor<256x256xf32>
    hk.yield %l : !x
  }
  return %y : !x
}

// 80 sequences of a block cover the 82 processors of one device, not the 132 of
// another.
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{devices=h200,a100}))" | FileCheck %s -check-prefix=DEVICE
// RUN: not hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{devices=abacus}))" 2>&1 | FileCheck %s -check-prefix=UNKNOWN
// CHECK-LABEL: func.func private @small(
// CHECK:         #hk.cuda<arch = "sm_86", rows = 64, units = 4,
// DEVICE-LABEL: func.func private @small(
// DEVICE:        #hk.cuda<arch = "sm_86", rows = 64, units = 4,
// DEVICE-LABEL: func.func private @large(
// DEVICE:        #hk.cuda<arch = "sm_90a", rows = 32, units = 2,
// UNKNOWN: error: 'hk.kernel' op expects devices of a100, {{.*}}, but got 'abacus'
func.func private @small(%x: tensor<80x64x64xf32>) -> tensor<80x64x64xf32> attributes {hk.arch = "sm_86", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %y = hk.kernel @chain(%a = %x : tensor<80x64x64xf32>) -> (tensor<80x64x64xf32>) scope(row) {
    %c = hk.attention %a, %a, %a {num_heads = 8 : i32} : tensor<80x64x64xf32>, tensor<80x64x64xf32>, tensor<80x64x64xf32>
    %r = hk.add %a, %c : tensor<80x64x64xf32>, tensor<80x64x64xf32>
    hk.yield %r : tensor<80x64x64xf32>
  }
  return %y : tensor<80x64x64xf32>
}
func.func private @large(%x: tensor<80x64x64xf32>) -> tensor<80x64x64xf32> attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %y = hk.kernel @chain(%a = %x : tensor<80x64x64xf32>) -> (tensor<80x64x64xf32>) scope(row) {
    %c = hk.attention %a, %a, %a {num_heads = 8 : i32} : tensor<80x64x64xf32>, tensor<80x64x64xf32>, tensor<80x64x64xf32>
    %r = hk.add %a, %c : tensor<80x64x64xf32>, tensor<80x64x64xf32>
    hk.yield %r : tensor<80x64x64xf32>
  }
  return %y : tensor<80x64x64xf32>
}
