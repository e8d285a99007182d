// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @mul
func.func @mul(%a: tensor<?x7x64xf32>, %b: tensor<?x7x64xf32>) -> tensor<?x7x64xf32> {
  // CHECK: hk.mul %{{.*}}, %{{.*}} : tensor<?x7x64xf32>, tensor<?x7x64xf32>
  %0 = hk.mul %a, %b : tensor<?x7x64xf32>, tensor<?x7x64xf32>
  return %0 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @mul_static_batch
func.func @mul_static_batch(%a: tensor<3x64xf16>) -> tensor<3x64xf16> {
  // CHECK: hk.mul %{{.*}}, %{{.*}} : tensor<3x64xf16>, tensor<3x64xf16>
  %0 = hk.mul %a, %a : tensor<3x64xf16>, tensor<3x64xf16>
  return %0 : tensor<3x64xf16>
}
