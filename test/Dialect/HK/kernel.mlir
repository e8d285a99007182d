// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @kernel
func.func @kernel(%x: tensor<?x8x64xf32>, %l: index) -> tensor<?x8x64xf32> {
  // CHECK: %[[R:.*]]:2 = hk.kernel @norm(%{{.*}} = %{{.*}} : tensor<?x8x64xf32>, %{{.*}} = %{{.*}} : index) -> (tensor<?x8x64xf32>, tensor<?x8x32xf32>) scope(row) {
  %r:2 = hk.kernel @norm(%a = %x : tensor<?x8x64xf32>, %i = %l : index) -> (tensor<?x8x64xf32>, tensor<?x8x32xf32>) scope(row) {
    // CHECK: hk.param "layers.{}.w"[%{{.*}}] : tensor<32x64xf32>
    %w = hk.param "layers.{}.w"[%i] : tensor<32x64xf32>
    %n = hk.layer_norm %a : tensor<?x8x64xf32>
    %y = hk.linear %n, %w : tensor<?x8x64xf32>, tensor<32x64xf32>
    // CHECK: hk.yield %{{.*}}, %{{.*}} : tensor<?x8x64xf32>, tensor<?x8x32xf32>
    hk.yield %n, %y : tensor<?x8x64xf32>, tensor<?x8x32xf32>
  }
  // CHECK: hk.kernel @attend(%{{.*}} = %[[R]]#0 : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(sequence) schedules [#hk.cpu<isa = "x86-64-v3", rows = 8, mr = 6, nr = 16, keys = 8>, #hk.loops<isa = "x86-64", rows = 8>] {
  // CHECK: } attributes {note = "kept"}
  %s = hk.kernel @attend(%q = %r#0 : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(sequence)
      schedules [#hk.cpu<isa = "x86-64-v3", rows = 8, mr = 6, nr = 16, keys = 8>, #hk.loops<isa = "x86-64", rows = 8>] {
    %n = hk.layer_norm %q : tensor<?x8x64xf32>
    %y = hk.attention %n, %n, %n {num_heads = 4 : i32} : tensor<?x8x64xf32>, tensor<?x8x64xf32>, tensor<?x8x64xf32>
    hk.yield %y : tensor<?x8x64xf32>
  } attributes {note = "kept"}
  return %s : tensor<?x8x64xf32>
}

// Attention in a row-wise kernel, whose keys and values are views of an argument.
// CHECK-LABEL: func @kernel_row_attention
func.func @kernel_row_attention(%x: tensor<2x8x192xf32>) -> tensor<2x8x64xf32> {
  // CHECK: hk.kernel @attend(%{{.*}} = %{{.*}} : tensor<2x8x192xf32>) -> (tensor<2x8x64xf32>) scope(row) {
  %r = hk.kernel @attend(%p = %x : tensor<2x8x192xf32>) -> (tensor<2x8x64xf32>) scope(row) {
    %q, %k, %v = hk.split %p : tensor<2x8x192xf32> -> tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
    %y = hk.attention %q, %k, %v {num_heads = 4 : i32} : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
    hk.yield %y : tensor<2x8x64xf32>
  }
  return %r : tensor<2x8x64xf32>
}

// Keys and values that are read through a cast, and rows that nobody reads.
// CHECK-LABEL: func @kernel_skip_rows
func.func @kernel_skip_rows(%x: tensor<2x8x64xf16>, %n: tensor<2xi32>, %m: tensor<2x8xi1>) -> (tensor<2x8x64xf32>, tensor<2x8x64xf32>) {
  // CHECK: hk.kernel @attend({{.*}}) -> (tensor<2x8x64xf32>) scope(row) schedules [#hk.loops<isa = "x86-64", rows = 8>] skip_rows(1) {
  %0 = hk.kernel @attend(%a = %x : tensor<2x8x64xf16>, %l = %n : tensor<2xi32>) -> (tensor<2x8x64xf32>) scope(row) schedules [#hk.loops<isa = "x86-64", rows = 8>] skip_rows(1) {
    %c = hk.cast %a : tensor<2x8x64xf16> to tensor<2x8x64xf32>
    %y = hk.attention %c, %c, %c {num_heads = 4 : i32} : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
    hk.yield %y : tensor<2x8x64xf32>
  }
  // CHECK: hk.kernel @norm({{.*}}) -> (tensor<2x8x64xf32>) scope(row) skip_rows(0) {
  // CHECK: } attributes {note = "kept"}
  %1 = hk.kernel @norm(%l = %m : tensor<2x8xi1>, %a = %0 : tensor<2x8x64xf32>) -> (tensor<2x8x64xf32>) scope(row) skip_rows(0) {
    %y = hk.rms_norm %a : tensor<2x8x64xf32>
    hk.yield %y : tensor<2x8x64xf32>
  } attributes {note = "kept"}
  return %0, %1 : tensor<2x8x64xf32>, tensor<2x8x64xf32>
}

// CHECK-LABEL: func @kernel_without_operands
func.func @kernel_without_operands() {
  // CHECK: hk.kernel @nothing() -> () scope(row) {
  hk.kernel @nothing() -> () scope(row) {
    // CHECK-NEXT: hk.yield
    hk.yield
  }
  return
}
