// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @cast
func.func @cast(%x: tensor<?x7x64xf16>, %w: tensor<2x7x64xf64>) {
  // CHECK: hk.cast %{{.*}} : tensor<?x7x64xf16> to tensor<?x7x64xf32>
  %0 = hk.cast %x : tensor<?x7x64xf16> to tensor<?x7x64xf32>
  // CHECK: hk.cast %{{.*}} : tensor<2x7x64xf64> to tensor<2x7x64xbf16>
  %1 = hk.cast %w : tensor<2x7x64xf64> to tensor<2x7x64xbf16>
  return
}
