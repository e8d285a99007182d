// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-lower-loops-kernels | FileCheck %s
// RUN: hk-opt %s -pass-pipeline='builtin.module(hk-lower-loops-kernels,builtin.module(hk-cpu-to-llvm))' | FileCheck %s -check-prefix=LLVM

!d = tensor<?x8x4xf64>
!w = tensor<4x4xf64>

hk.packed @w0 : !w {
  %w = hk.param "0.w" : !w
  hk.yield %w : !w
}
hk.packed @w1 : !w {
  %w = hk.param "1.w" : !w
  hk.yield %w : !w
}

// Two layers that differ in their weights and buffers share the code of their
// linear maps and activations. The activation at the end, of another kind, has
// its own.
// CHECK-LABEL: module @"x86-64.loops"
// CHECK:         func.func private @layers.nest0(%[[X:.*]]: memref<1x8x4xf64>, %[[W:.*]]: memref<4x4xf64>, %[[Y:.*]]: memref<1x8x4xf64>) attributes {passthrough = ["noinline"]} {
// CHECK:           memref.load %[[X]]
// CHECK:           memref.load %[[W]]
// CHECK:           memref.store %{{.*}}, %[[Y]]
// CHECK:           return
// CHECK:         func.func private @layers.nest1(
// CHECK-SAME:      !llvm.ptr
// CHECK:           llvm.call
// CHECK:         func.func @layers(
// CHECK:           %[[W0:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4x4xf64>
// CHECK:           %[[W1:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4x4xf64>
// CHECK:           scf.for
// CHECK:             func.call @layers.nest0(%{{.*}}, %[[W0]], %[[T:.*]]) :
// CHECK:             func.call @layers.nest1(%[[T]],
// CHECK:             func.call @layers.nest0(%{{.*}}, %[[W1]], %[[U:.*]]) :
// CHECK:             func.call @layers.nest1(%[[U]],
// CHECK:             scf.for
// CHECK:               arith.maximumf
// CHECK-NOT:         @layers.nest2
// LLVM:          llvm.func @layers.nest0(
// LLVM-SAME:       passthrough = ["noinline"]
// LLVM:          llvm.call @layers.nest0(
hk.executable @layers {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: !d):
    %w0 = hk.packed.get @w0 : !w
    %w1 = hk.packed.get @w1 : !w
    %0 = hk.linear %x, %w0 : !d, !w
    %1 = hk.activation silu %0 : !d
    %2 = hk.linear %1, %w1 : !d, !w
    %3 = hk.activation silu %2 : !d
    %4 = hk.activation relu %3 : !d
    hk.yield %4 : !d
  }
}
