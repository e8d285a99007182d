// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @pack
func.func @pack(%m: tensor<8x16xf64>, %v: tensor<16xf64>) {
  // CHECK: hk.pack.zeros : tensor<256xf64>
  %0 = hk.pack.zeros : tensor<256xf64>
  // CHECK: hk.pack.scale %{{.*}} by 2.500000e-01 : tensor<8x16xf64>
  %1 = hk.pack.scale %m by 0.25 : tensor<8x16xf64>
  // CHECK: hk.pack.scale_dim %{{.*}}, %{{.*}} dim 1 : tensor<8x16xf64>, tensor<16xf64>
  %2 = hk.pack.scale_dim %m, %v dim 1 : tensor<8x16xf64>, tensor<16xf64>
  // CHECK: hk.pack.matvec %{{.*}}, %{{.*}} : tensor<8x16xf64>, tensor<16xf64> -> tensor<8xf64>
  %3 = hk.pack.matvec %m, %v : tensor<8x16xf64>, tensor<16xf64> -> tensor<8xf64>
  // CHECK: hk.pack.add %{{.*}}, %{{.*}} : tensor<8x16xf64>
  %4 = hk.pack.add %1, %2 : tensor<8x16xf64>
  // CHECK: hk.pack.concat %{{.*}}, %{{.*}}, %{{.*}} dim 0 : tensor<8x16xf64>, tensor<8x16xf64>, tensor<8x16xf64> -> tensor<24x16xf64>
  %5 = hk.pack.concat %m, %1, %2 dim 0 : tensor<8x16xf64>, tensor<8x16xf64>, tensor<8x16xf64> -> tensor<24x16xf64>
  // CHECK: hk.pack.concat %{{.*}}, %{{.*}} dim 1 : tensor<8x16xf64>, tensor<8x16xf64> -> tensor<8x32xf64>
  %6 = hk.pack.concat %m, %1 dim 1 : tensor<8x16xf64>, tensor<8x16xf64> -> tensor<8x32xf64>
  // CHECK: hk.pack.layout %{{.*}} : tensor<8x16xf64> -> tensor<8x16xf64, #hk.panels<8>>
  %7 = hk.pack.layout %m : tensor<8x16xf64> -> tensor<8x16xf64, #hk.panels<8>>
  return
}
