// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @split
func.func @split(%x: tensor<?x7x96xf32>) {
  // CHECK: %{{.*}}:3 = hk.split %{{.*}} : tensor<?x7x96xf32> -> tensor<?x7x64xf32>, tensor<?x7x16xf32>, tensor<?x7x16xf32>
  %q, %k, %v = hk.split %x : tensor<?x7x96xf32> -> tensor<?x7x64xf32>, tensor<?x7x16xf32>, tensor<?x7x16xf32>
  return
}

// CHECK-LABEL: func @split_static_batch
func.func @split_static_batch(%x: tensor<2x96xf16>) {
  // CHECK: %{{.*}}:2 = hk.split %{{.*}} : tensor<2x96xf16> -> tensor<2x95xf16>, tensor<2x1xf16>
  %a, %b = hk.split %x : tensor<2x96xf16> -> tensor<2x95xf16>, tensor<2x1xf16>
  return
}
