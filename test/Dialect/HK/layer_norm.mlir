// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<?x7x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<?x7x64xf32> {
  // CHECK: hk.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 2.500000e-01 : f64} : tensor<?x7x64xf32>, tensor<64xf32>, tensor<64xf32>
  %0 = hk.layer_norm %x, %g, %b {eps = 0.25 : f64} : tensor<?x7x64xf32>, tensor<64xf32>, tensor<64xf32>
  // CHECK: hk.layer_norm %{{.*}}, %{{.*}} : tensor<?x7x64xf32>, tensor<64xf32>
  %1 = hk.layer_norm %0, %g : tensor<?x7x64xf32>, tensor<64xf32>
  // The default eps is not printed.
  // CHECK: hk.layer_norm %{{[0-9]+}} : tensor<?x7x64xf32>
  %2 = hk.layer_norm %1 {eps = 1.0e-5 : f64} : tensor<?x7x64xf32>
  return %2 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @layer_norm_static_batch
func.func @layer_norm_static_batch(%x: tensor<3x64xf16>, %g: tensor<64xf32>) -> tensor<3x64xf16> {
  // CHECK: hk.layer_norm %{{.*}}, %{{.*}} : tensor<3x64xf16>, tensor<64xf32>
  %0 = hk.layer_norm %x, %g : tensor<3x64xf16>, tensor<64xf32>
  return %0 : tensor<3x64xf16>
}
