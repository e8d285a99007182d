// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: mlir-runner
// DEFINE: %{lower} = hk-opt %s -hk-to-linalg -one-shot-bufferize=bufferize-function-boundaries \
// DEFINE:   -convert-linalg-to-loops -convert-scf-to-cf -expand-strided-metadata -lower-affine \
// DEFINE:   -finalize-memref-to-llvm -convert-math-to-libm -convert-math-to-llvm -convert-arith-to-llvm \
// DEFINE:   -convert-func-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// RUN: %{lower} | mlir-runner -e main -entry-point-result=void \
// RUN:   -shared-libs=%runner_utils/libmlir_runner_utils.so,%runner_utils/libmlir_c_runner_utils.so \
// RUN: | FileCheck %s

// The row operations, run: the values on the right are by hand.
func.func private @printMemrefF64(tensor<*xf64>)

func.func @main() {
  // x W^T + b: (1 + 2, 2 - 2, 0.5) + b, (3 + 4, 6 - 4, 1.5) + b.
  // CHECK: [3, 10, 0.5]
  // CHECK: [7, 12, 1.5]
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %w = arith.constant dense<[[1.0, 1.0], [2.0, -1.0], [0.5, 0.0]]> : tensor<3x2xf64>
  %b = arith.constant dense<[0.0, 10.0, 0.0]> : tensor<3xf64>
  %0 = hk.linear %x, %w, %b : tensor<2x2xf64>, tensor<3x2xf64>, tensor<3xf64>
  %p0 = tensor.cast %0 : tensor<2x3xf64> to tensor<*xf64>
  call @printMemrefF64(%p0) : (tensor<*xf64>) -> ()

  // Mean 3, variance 4, eps 12: -+2 / 4 times gamma plus beta.
  // CHECK: [-1, 101]
  %n = arith.constant dense<[[1.0, 5.0]]> : tensor<1x2xf64>
  %gamma = arith.constant dense<[2.0, 2.0]> : tensor<2xf64>
  %beta = arith.constant dense<[0.0, 100.0]> : tensor<2xf64>
  %1 = hk.layer_norm %n, %gamma, %beta {eps = 12.0 : f64} : tensor<1x2xf64>, tensor<2xf64>, tensor<2xf64>
  %p1 = tensor.cast %1 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p1) : (tensor<*xf64>) -> ()

  // Mean square 13, eps 3: a quarter of x, times gamma.
  // CHECK: [0.5, 2.5]
  %2 = hk.rms_norm %n, %gamma {eps = 3.0 : f64} : tensor<1x2xf64>, tensor<2xf64>
  %p2 = tensor.cast %2 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p2) : (tensor<*xf64>) -> ()

  // gelu(1) = Phi(1), relu, silu(1) = 1 / (1 + 1 / e).
  // CHECK: [0.841345, -0.158655]
  // CHECK: [0.841192, -0.158808]
  // CHECK: [1, 0]
  // CHECK: [0.731059, -0.268941]
  %s = arith.constant dense<[[1.0, -1.0]]> : tensor<1x2xf64>
  %3 = hk.activation gelu_erf %s : tensor<1x2xf64>
  %p3 = tensor.cast %3 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p3) : (tensor<*xf64>) -> ()
  %4 = hk.activation gelu_tanh %s : tensor<1x2xf64>
  %p4 = tensor.cast %4 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p4) : (tensor<*xf64>) -> ()
  %5 = hk.activation relu %s : tensor<1x2xf64>
  %p5 = tensor.cast %5 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p5) : (tensor<*xf64>) -> ()
  %6 = hk.activation silu %s : tensor<1x2xf64>
  %p6 = tensor.cast %6 : tensor<1x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p6) : (tensor<*xf64>) -> ()

  // NaN in a masked row leaves no trace; a length below zero masks all.
  // CHECK: [1, 2],
  // CHECK-NEXT: [0, 0]
  // CHECK: [0, 0],
  // CHECK-NEXT: [0, 0]
  %nan = arith.constant dense<[[[1.0, 2.0], [0x7FF8000000000000, 3.0]], [[1.0, 1.0], [0x7FF8000000000000, 1.0]]]> : tensor<2x2x2xf64>
  %lengths = arith.constant dense<[1, -3]> : tensor<2xi32>
  %7 = hk.mask_rows %nan lengths(%lengths) : tensor<2x2x2xf64>, tensor<2xi32>
  %p7 = tensor.cast %7 : tensor<2x2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%p7) : (tensor<*xf64>) -> ()

  // The columns (1) and (5), their sum, and their product.
  // CHECK: {{\[}}[6]]
  // CHECK: {{\[}}[5]]
  %c0, %c1 = hk.split %n : tensor<1x2xf64> -> tensor<1x1xf64>, tensor<1x1xf64>
  %8 = hk.add %c0, %c1 : tensor<1x1xf64>, tensor<1x1xf64>
  %p8 = tensor.cast %8 : tensor<1x1xf64> to tensor<*xf64>
  call @printMemrefF64(%p8) : (tensor<*xf64>) -> ()
  %9 = hk.mul %c0, %c1 : tensor<1x1xf64>, tensor<1x1xf64>
  %p9 = tensor.cast %9 : tensor<1x1xf64> to tensor<*xf64>
  call @printMemrefF64(%p9) : (tensor<*xf64>) -> ()
  return
}
