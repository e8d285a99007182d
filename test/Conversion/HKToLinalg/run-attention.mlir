// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mlir-runner
// DEFINE: %{lower} = hk-opt %s -hk-to-linalg -one-shot-bufferize=bufferize-function-boundaries \
// DEFINE:   -convert-linalg-to-loops -convert-scf-to-cf -expand-strided-metadata -lower-affine \
// DEFINE:   -finalize-memref-to-llvm -convert-math-to-libm -convert-math-to-llvm -convert-arith-to-llvm \
// DEFINE:   -convert-func-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// RUN: %{lower} | mlir-runner -e main -entry-point-result=void \
// RUN:   -shared-libs=%runner_utils/libmlir_runner_utils.so,%runner_utils/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

func.func private @printMemrefF64(tensor<*xf64>)

func.func @print(%x: tensor<?x2x2xf64>) {
  %p = tensor.cast %x : tensor<?x2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p) : (tensor<*xf64>) -> ()
  return
}

// Two sequences of two tokens. Their second token has NaN for a key and value.
func.func @lengths(%q: tensor<?x2x2xf64>, %k: tensor<?x2x2xf64>, %n: tensor<?xi32>) {
  %y = hk.attention %q, %k, %k lengths(%n) {num_heads = 2 : i32} : tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?xi32>
  call @print(%y) : (tensor<?x2x2xf64>) -> ()
  return
}
func.func @key_mask(%q: tensor<?x2x2xf64>, %k: tensor<?x2x2xf64>, %m: tensor<?x2xi1>) {
  %y = hk.attention %q, %k, %k key_mask(%m) {num_heads = 1 : i32} : tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x2xi1>
  call @print(%y) : (tensor<?x2x2xf64>) -> ()
  return
}

func.func @main() {
  %q = arith.constant dense<1.0> : tensor<2x2x2xf64>
  %k = arith.constant dense<[[[1.0, 2.0], [0x7FF8000000000000, 0x7FF8000000000000]], [[3.0, 4.0], [0x7FF8000000000000, 0x7FF8000000000000]]]> : tensor<2x2x2xf64>
  %qd = tensor.cast %q : tensor<2x2x2xf64> to tensor<?x2x2xf64>
  %kd = tensor.cast %k : tensor<2x2x2xf64> to tensor<?x2x2xf64>

  // The first sequence sees its first key alone, the second one none.
  // CHECK:      [1, 2],
  // CHECK-NEXT: [1, 2]
  // CHECK:      [0, 0],
  // CHECK-NEXT: [0, 0]
  %n = arith.constant dense<[1, 0]> : tensor<2xi32>
  %nd = tensor.cast %n : tensor<2xi32> to tensor<?xi32>
  call @lengths(%qd, %kd, %nd) : (tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?xi32>) -> ()

  // The same the other way round, by a mask.
  // CHECK:      [0, 0],
  // CHECK-NEXT: [0, 0]
  // CHECK:      [3, 4],
  // CHECK-NEXT: [3, 4]
  %m = arith.constant dense<[[false, false], [true, false]]> : tensor<2x2xi1>
  %md = tensor.cast %m : tensor<2x2xi1> to tensor<?x2xi1>
  call @key_mask(%qd, %kd, %md) : (tensor<?x2x2xf64>, tensor<?x2x2xf64>, tensor<?x2xi1>) -> ()

  // Causal: the first query sees one key. The second sees two, whose scores
  // are 0 and log2(3) in base 2: weights of 1/4 and 3/4.
  // CHECK:      [1, 2],
  // CHECK-NEXT: [4, 5]
  %q2 = arith.constant dense<[[[1.0, 0.0], [1.0, 0.0]]]> : tensor<1x2x2xf64>
  %k2 = arith.constant dense<[[[0.0, 7.0], [1.5849625007211561, -7.0]]]> : tensor<1x2x2xf64>
  %v2 = arith.constant dense<[[[1.0, 2.0], [5.0, 6.0]]]> : tensor<1x2x2xf64>
  %y2 = hk.attention %q2, %k2, %v2 {num_heads = 1 : i32, causal, base2, scale = 1.0 : f64} : tensor<1x2x2xf64>, tensor<1x2x2xf64>, tensor<1x2x2xf64>
  %y2d = tensor.cast %y2 : tensor<1x2x2xf64> to tensor<?x2x2xf64>
  call @print(%y2d) : (tensor<?x2x2xf64>) -> ()

  // Two query heads of one feature share a key head, e^0 and e^log(3), scaled
  // by 1/sqrt(1); head 1 of query 0 asks with 0, for equal weights.
  // CHECK:      [4, 3],
  // CHECK-NEXT: [3, 4]
  %q3 = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]]]> : tensor<1x2x2xf64>
  %k3 = arith.constant dense<[[[0.0], [1.0986122886681098]]]> : tensor<1x2x1xf64>
  %v3 = arith.constant dense<[[[1.0], [5.0]]]> : tensor<1x2x1xf64>
  %y3 = hk.attention %q3, %k3, %v3 {num_heads = 2 : i32, num_kv_heads = 1 : i32} : tensor<1x2x2xf64>, tensor<1x2x1xf64>, tensor<1x2x1xf64>
  %y3d = tensor.cast %y3 : tensor<1x2x2xf64> to tensor<?x2x2xf64>
  call @print(%y3d) : (tensor<?x2x2xf64>) -> ()
  return
}
