// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-expand-math | FileCheck %s

// CHECK-LABEL: @exp2
// CHECK-NOT: math.exp
// CHECK: math.floor
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: @functions
// CHECK-NOT: math.{{(exp|erf|tanh|log) }}
func.func @functions(%x: vector<8xf32>, %s: f32) -> (vector<8xf32>, f32) {
  %a = math.erf %x : vector<8xf32>
  %b = math.tanh %a : vector<8xf32>
  %c = math.log %s : f32
  %d = math.exp %c : f32
  return %b, %d : vector<8xf32>, f32
}

// CHECK-LABEL: @bf16
// CHECK-NOT: arith.truncf
// CHECK-NOT: arith.extf
func.func @bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
  %a = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %b = arith.truncf %a : vector<8xf32> to vector<8xbf16>
  return %b : vector<8xbf16>
}

// CHECK-LABEL: @ceildiv
// CHECK-NOT: arith.ceildivsi
func.func @ceildiv(%a: i64, %b: i64) -> i64 {
  %c = arith.ceildivsi %a, %b : i64
  return %c : i64
}

// The approximations are of f32 only.
// CHECK-LABEL: @f64_stays
// CHECK: math.erf {{.*}} : f64
// CHECK: math.exp {{.*}} : f64
func.func @f64_stays(%x: f64) -> f64 {
  %a = math.erf %x : f64
  %b = math.exp %a : f64
  return %b : f64
}
