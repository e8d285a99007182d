// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @add
func.func @add(%a: tensor<?x7x64xf32>, %b: tensor<?x7x64xf32>) -> tensor<?x7x64xf32> {
  // CHECK: hk.add %{{.*}}, %{{.*}} : tensor<?x7x64xf32>, tensor<?x7x64xf32>
  %0 = hk.add %a, %b : tensor<?x7x64xf32>, tensor<?x7x64xf32>
  return %0 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @add_static_batch
func.func @add_static_batch(%a: tensor<3x64xf16>) -> tensor<3x64xf16> {
  // CHECK: hk.add %{{.*}}, %{{.*}} : tensor<3x64xf16>, tensor<3x64xf16>
  %0 = hk.add %a, %a : tensor<3x64xf16>, tensor<3x64xf16>
  return %0 : tensor<3x64xf16>
}
