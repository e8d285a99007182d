// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<?x7x64xf32>, %g: tensor<64xf32>) -> tensor<?x7x64xf32> {
  // CHECK: hk.rms_norm %{{.*}}, %{{.*}} {eps = 2.500000e-01 : f64} : tensor<?x7x64xf32>, tensor<64xf32>
  %0 = hk.rms_norm %x, %g {eps = 0.25 : f64} : tensor<?x7x64xf32>, tensor<64xf32>
  // CHECK: hk.rms_norm %{{[0-9]+}} : tensor<?x7x64xf32>
  %1 = hk.rms_norm %0 : tensor<?x7x64xf32>
  return %1 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @rms_norm_static_batch
func.func @rms_norm_static_batch(%x: tensor<2x7x64xf64>) -> tensor<2x7x64xf64> {
  // CHECK: hk.rms_norm %{{.*}} : tensor<2x7x64xf64>
  %0 = hk.rms_norm %x : tensor<2x7x64xf64>
  return %0 : tensor<2x7x64xf64>
}
