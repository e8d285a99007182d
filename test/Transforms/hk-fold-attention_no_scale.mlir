// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-attention | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-attention -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>

// The query does not come from a linear.
// REMARK: remark: [Missed] ScaleKept | Category:hk-fold-attention | Function=no_linear | Remark="expects the query to be the result of hk.linear, but got another value"
// CHECK-LABEL: func.func @no_linear(
// CHECK: hk.attention {{.*}} {num_heads = 4 : i32}
func.func @no_linear(%x: !x) -> !x {
  %c = hk.attention %x, %x, %x {num_heads = 4 : i32} : !x, !x, !x
  return %c : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// The query is the key, too: scaling it would scale the scores twice.
// REMARK: Function=shared | Remark="expects the query to be used by this attention alone, but got other uses"
// CHECK-LABEL: func.func @shared(
// CHECK-NOT: hk.pack
// CHECK: hk.attention {{.*}} {num_heads = 4 : i32}
func.func @shared(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %q = hk.linear %x, %w : !x, !w
  %c = hk.attention %q, %q, %x {num_heads = 4 : i32} : !x, !x, !x
  return %c : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// REMARK: Function=weight | Remark="expects the query's linear to have a weight and a bias made of parameters alone, but got another value"
// CHECK-LABEL: func.func @weight(
// CHECK-NOT: hk.pack
// CHECK: return
func.func @weight(%x: !x, %w: !w) -> !x {
  %q = hk.linear %x, %w : !x, !w
  %c = hk.attention %q, %x, %x {num_heads = 4 : i32} : !x, !x, !x
  return %c : !x
}
