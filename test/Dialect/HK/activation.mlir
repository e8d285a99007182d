// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @activation
func.func @activation(%x: tensor<?x7x64xf32>) -> tensor<?x7x64xf32> {
  // CHECK: hk.activation gelu_erf %{{.*}} : tensor<?x7x64xf32>
  %0 = hk.activation gelu_erf %x : tensor<?x7x64xf32>
  // CHECK: hk.activation gelu_tanh %{{.*}} : tensor<?x7x64xf32>
  %1 = hk.activation gelu_tanh %0 : tensor<?x7x64xf32>
  // CHECK: hk.activation relu %{{.*}} : tensor<?x7x64xf32>
  %2 = hk.activation relu %1 : tensor<?x7x64xf32>
  // CHECK: hk.activation silu %{{.*}} : tensor<?x7x64xf32>
  %3 = hk.activation silu %2 : tensor<?x7x64xf32>
  return %3 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @activation_static_batch
func.func @activation_static_batch(%x: tensor<3x64xbf16>) -> tensor<3x64xbf16> {
  // CHECK: hk.activation relu %{{.*}} : tensor<3x64xbf16>
  %0 = hk.activation relu %x : tensor<3x64xbf16>
  return %0 : tensor<3x64xbf16>
}
