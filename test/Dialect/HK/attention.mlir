// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

!x = tensor<?x7x64xf32>

// CHECK-LABEL: func @attention
func.func @attention(%q: !x, %k: !x, %v: !x, %n: tensor<?xi32>, %m: tensor<?x7xi1>) {
  // CHECK: hk.attention %{{.*}}, %{{.*}}, %{{.*}} {num_heads = 4 : i32} : tensor<?x7x64xf32>, tensor<?x7x64xf32>, tensor<?x7x64xf32>
  %0 = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
  // CHECK: hk.attention %{{.*}}, %{{.*}}, %{{.*}} lengths(%{{.*}}) {causal, num_heads = 1 : i32} : tensor<?x7x64xf32>, tensor<?x7x64xf32>, tensor<?x7x64xf32>, tensor<?xi32>
  %1 = hk.attention %q, %k, %v lengths(%n) {num_heads = 1 : i32, causal} : !x, !x, !x, tensor<?xi32>
  // CHECK: hk.attention %{{.*}}, %{{.*}}, %{{.*}} key_mask(%{{.*}}) {base2, num_heads = 4 : i32, scale = 1.000000e+00 : f64}
  %2 = hk.attention %q, %k, %v key_mask(%m) {num_heads = 4 : i32, scale = 1.0 : f64, base2} : !x, !x, !x, tensor<?x7xi1>
  return
}

// CHECK-LABEL: func @attention_grouped_queries_static_batch
func.func @attention_grouped_queries_static_batch(%q: tensor<2x7x64xf16>, %k: tensor<2x7x16xf16>) {
  // CHECK: hk.attention %{{.*}} {num_heads = 8 : i32, num_kv_heads = 2 : i32} : tensor<2x7x64xf16>, tensor<2x7x16xf16>, tensor<2x7x16xf16>
  %0 = hk.attention %q, %k, %k {num_heads = 8 : i32, num_kv_heads = 2 : i32} : tensor<2x7x64xf16>, tensor<2x7x16xf16>, tensor<2x7x16xf16>
  return
}
