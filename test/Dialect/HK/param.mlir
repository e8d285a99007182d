// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @param
func.func @param(%l: index) {
  // CHECK: hk.param "layers.0.q.weight" : tensor<128x64xf32>
  %0 = hk.param "layers.0.q.weight" : tensor<128x64xf32>
  // CHECK: hk.param "norm.weight" from bf16 : tensor<64xf32>
  %1 = hk.param "norm.weight" from bf16 : tensor<64xf32>
  // CHECK: hk.param "layers.{}.q.bias"[%{{.*}}] from f32 : tensor<64xf64>
  %2 = hk.param "layers.{}.q.bias"[%l] from f32 : tensor<64xf64>
  return
}
