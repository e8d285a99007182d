// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK: hk.packed @bias : tensor<16xf32> {
// CHECK-NEXT: %[[B:.*]] = hk.param "b" from f32 : tensor<16xf64>
// CHECK-NEXT: hk.yield %[[B]] : tensor<16xf64>
// CHECK-NEXT: }
hk.packed @bias : tensor<16xf32> {
  %b = hk.param "b" from f32 : tensor<16xf64>
  hk.yield %b : tensor<16xf64>
}

// CHECK: hk.packed @weight layers(2 to 6) : tensor<8x16xf32> {
// CHECK-NEXT: ^bb0(%[[L:.*]]: index):
// CHECK-NEXT: hk.param "layers.{}.w"[%[[L]]] from f32 : tensor<8x16xf64>
hk.packed @weight layers(2 to 6) : tensor<8x16xf32> {
^bb0(%l: index):
  %w = hk.param "layers.{}.w"[%l] from f32 : tensor<8x16xf64>
  hk.yield %w : tensor<8x16xf64>
}

// A packed value of packed values, with a layout.
// CHECK: hk.packed @weight.p8 layers(2 to 6) : tensor<8x16xf32, #hk.panels<8>> {
// CHECK: hk.packed.get @weight[%{{.*}}] : tensor<8x16xf32>
// CHECK: hk.yield %{{.*}} : tensor<8x16xf32, #hk.panels<8>>
hk.packed @weight.p8 layers(2 to 6) : tensor<8x16xf32, #hk.panels<8>> {
^bb0(%l: index):
  %w = hk.packed.get @weight[%l] : tensor<8x16xf32>
  %p = hk.pack.layout %w : tensor<8x16xf32> -> tensor<8x16xf32, #hk.panels<8>>
  hk.yield %p : tensor<8x16xf32, #hk.panels<8>>
}

// CHECK: hk.packed @described : tensor<16xf32> {
// CHECK: } attributes {note = "kept"}
hk.packed @described : tensor<16xf32> {
  %b = hk.param "b" : tensor<16xf32>
  hk.yield %b : tensor<16xf32>
} attributes {note = "kept"}

// CHECK-LABEL: func @get
func.func @get(%l: index) -> (tensor<8x16xf32>, tensor<16xf32>) {
  // CHECK: hk.packed.get @weight[%{{.*}}] : tensor<8x16xf32>
  %w = hk.packed.get @weight[%l] : tensor<8x16xf32>
  // CHECK: hk.packed.get @bias : tensor<16xf32>
  %b = hk.packed.get @bias : tensor<16xf32>
  return %w, %b : tensor<8x16xf32>, tensor<16xf32>
}
