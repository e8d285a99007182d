// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @mask_rows
func.func @mask_rows(%x: tensor<?x7x64xf32>, %n: tensor<?xi32>, %m: tensor<?x7xi1>) -> tensor<?x7x64xf32> {
  // CHECK: hk.mask_rows %{{.*}} lengths(%{{.*}}) : tensor<?x7x64xf32>, tensor<?xi32>
  %0 = hk.mask_rows %x lengths(%n) : tensor<?x7x64xf32>, tensor<?xi32>
  // CHECK: hk.mask_rows %{{.*}} key_mask(%{{.*}}) : tensor<?x7x64xf32>, tensor<?x7xi1>
  %1 = hk.mask_rows %0 key_mask(%m) : tensor<?x7x64xf32>, tensor<?x7xi1>
  return %1 : tensor<?x7x64xf32>
}

// CHECK-LABEL: func @mask_rows_static_batch
func.func @mask_rows_static_batch(%x: tensor<2x7x64xbf16>, %n: tensor<2xi32>) -> tensor<2x7x64xbf16> {
  // CHECK: hk.mask_rows %{{.*}} lengths(%{{.*}}) : tensor<2x7x64xbf16>, tensor<2xi32>
  %0 = hk.mask_rows %x lengths(%n) : tensor<2x7x64xbf16>, tensor<2xi32>
  return %0 : tensor<2x7x64xbf16>
}
