// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: hk-compile, hk-run
//
// What a dispatch moves and computes, for each sequence.
// RUN: hk-compile %s -o %t.hkm
// RUN: hk-run %t.hkm --dump-metadata | FileCheck %s

// 2 * 4 * 16 * 24 operations of a linear; 4 * 16 and 4 * 24 elements of f32.
// CHECK: "name": "project"
// CHECK: "read": 256,
// CHECK-NEXT: "written": 384,
// CHECK-NEXT: "flops": 3072
!x = tensor<?x4x16xf32>
!y = tensor<?x4x24xf32>
func.func @project(%x: !x) -> !y {
  %w = hk.param "w" : tensor<24x16xf32>
  %y = hk.linear %x, %w : !x, tensor<24x16xf32>
  return %y : !y
}

// Casts of f16 first. Then 4 * 16 for each of 10 pairs of the lower triangle, and
// of the mask a byte a token.
// CHECK: "name": "attend"
// CHECK: "read": 384,
// CHECK-NEXT: "written": 768,
// CHECK-NEXT: "flops": 0
// CHECK: "read": 772,
// CHECK-NEXT: "written": 128,
// CHECK-NEXT: "flops": 640
!h = tensor<?x4x16xf16>
func.func @attend(%q: !h, %k: !h, %v: !h, %valid: tensor<?x4xi1>) -> !h {
  %y = hk.attention %q, %k, %v key_mask(%valid) {num_heads = 2 : i32, causal}
      : !h, !h, !h, tensor<?x4xi1>
  return %y : !h
}

// And of all 16 pairs; static batches count once.
// CHECK: "name": "see_all"
// CHECK: "read": 768,
// CHECK-NEXT: "written": 256,
// CHECK-NEXT: "flops": 1024
!s = tensor<3x4x16xf32>
func.func @see_all(%q: !s, %k: !s, %v: !s) -> !s {
  %y = hk.attention %q, %k, %v {num_heads = 2 : i32} : !s, !s, !s
  return %y : !s
}
