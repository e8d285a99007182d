// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -cse -canonicalize | FileCheck %s

// Everything is pure: what nobody uses goes, what is there twice stays once.

!x = tensor<?x8x64xf32>

// CHECK-LABEL: func @unused
// CHECK-NEXT: return
func.func @unused(%x: !x, %n: tensor<?xi32>) {
  %w = hk.param "w" : tensor<192x64xf32>
  %0 = hk.layer_norm %x : !x
  %1 = hk.linear %0, %w : !x, tensor<192x64xf32>
  %q, %k, %v = hk.split %1 : tensor<?x8x192xf32> -> !x, !x, !x
  %2 = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
  %3 = hk.activation silu %2 : !x
  %4 = hk.mul %3, %x : !x, !x
  %5 = hk.add %4, %x : !x, !x
  %6 = hk.rms_norm %5 : !x
  %7 = hk.mask_rows %6 lengths(%n) : !x, tensor<?xi32>
  %8 = hk.cast %7 : !x to tensor<?x8x64xf16>
  %9 = hk.pack.scale %w by 2.0 : tensor<192x64xf32>
  return
}

// CHECK-LABEL: func @same_parameter_twice
// CHECK-COUNT-1: hk.param "w"
// CHECK-NOT: hk.param
// CHECK-COUNT-1: hk.linear
// CHECK-NOT: hk.linear
// CHECK: return
func.func @same_parameter_twice(%x: !x) -> (!x, !x) {
  %a = hk.param "w" : tensor<64x64xf32>
  %b = hk.param "w" : tensor<64x64xf32>
  %0 = hk.linear %x, %a : !x, tensor<64x64xf32>
  %1 = hk.linear %x, %b : !x, tensor<64x64xf32>
  return %0, %1 : !x, !x
}

// a + b is b + a.
// CHECK-LABEL: func @commutes
// CHECK-COUNT-1: hk.add
// CHECK-NOT: hk.add
// CHECK: return
func.func @commutes(%a: !x, %b: !x) -> (!x, !x) {
  %0 = hk.add %a, %b : !x, !x
  %1 = hk.add %b, %a : !x, !x
  return %0, %1 : !x, !x
}
