// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @linear_dynamic_batch
func.func @linear_dynamic_batch(%x: tensor<?x128x64xf32>, %w: tensor<32x64xf32>,
                                %b: tensor<32xf32>) -> tensor<?x128x32xf32> {
  // CHECK: hk.linear %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x128x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  %y = hk.linear %x, %w, %b : tensor<?x128x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  return %y : tensor<?x128x32xf32>
}

// CHECK-LABEL: func @linear_static_batch_without_bias
func.func @linear_static_batch_without_bias(%x: tensor<2x7x64xbf16>,
                                            %w: tensor<32x64xf32>) -> tensor<2x7x32xbf16> {
  // CHECK: hk.linear %{{.*}}, %{{.*}} : tensor<2x7x64xbf16>, tensor<32x64xf32>
  %y = hk.linear %x, %w : tensor<2x7x64xbf16>, tensor<32x64xf32>
  return %y : tensor<2x7x32xbf16>
}

// Rows without a sequence: rank 2.
// CHECK-LABEL: func @linear_rank_2
func.func @linear_rank_2(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // CHECK: hk.linear %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<32x64xf32>
  %y = hk.linear %x, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}
