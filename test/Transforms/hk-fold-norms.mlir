// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-norms | FileCheck %s
// Folding again changes nothing.
// RUN: hk-opt %s -split-input-file -hk-fold-norms -hk-fold-norms | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-norms -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!y = tensor<?x8x32xf32>
!w = tensor<32x16xf32>
!v = tensor<16xf32>
!b = tensor<32xf32>

// W (gamma n + beta) + b = (W diag(gamma)) n + (W beta + b); a bias is created
// where there is none.
// REMARK: remark: [Passed] Folded | Category:hk-fold-norms | Function=layer_norm | Remark="gamma and beta folded into 2 linears"
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>
// CHECK-DAG: %[[G:.*]] = hk.param "g"
// CHECK-DAG: %[[B:.*]] = hk.param "b"
// CHECK-DAG: %[[W0:.*]] = hk.param "w0"
// CHECK-DAG: %[[B0:.*]] = hk.param "b0"
// CHECK-DAG: %[[W1:.*]] = hk.param "w1"
// CHECK: %[[N:.*]] = hk.layer_norm %[[X]] {eps = 5.000000e-01 : f64} : tensor<?x8x16xf32>
// CHECK: %[[WB0:.*]] = hk.pack.matvec %[[W0]], %[[B]] : tensor<32x16xf32>, tensor<16xf32> -> tensor<32xf32>
// CHECK: %[[BB0:.*]] = hk.pack.add %[[WB0]], %[[B0]] : tensor<32xf32>
// CHECK: %[[WG0:.*]] = hk.pack.scale_dim %[[W0]], %[[G]] dim 1 : tensor<32x16xf32>, tensor<16xf32>
// CHECK: hk.linear %[[N]], %[[WG0]], %[[BB0]]
// CHECK: %[[WB1:.*]] = hk.pack.matvec %[[W1]], %[[B]]
// CHECK: %[[WG1:.*]] = hk.pack.scale_dim %[[W1]], %[[G]] dim 1
// CHECK: hk.linear %[[N]], %[[WG1]], %[[WB1]]
func.func @layer_norm(%x: !x) -> (!y, !y) {
  %g = hk.param "g" : !v
  %b = hk.param "b" : !v
  %w0 = hk.param "w0" : !w
  %b0 = hk.param "b0" : !b
  %w1 = hk.param "w1" : !w
  %n = hk.layer_norm %x, %g, %b {eps = 0.5 : f64} : !x, !v, !v
  %0 = hk.linear %n, %w0, %b0 : !x, !w, !b
  %1 = hk.linear %n, %w1 : !x, !w
  return %0, %1 : !y, !y
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// No beta: the bias stays as it is, here none. In a loop too.
// REMARK: Function=in_a_loop | Remark="gamma folded into 1 linear"
// REMARK: Function=in_a_loop | Remark="gamma folded into 1 linear"
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for %[[L:.*]] = {{.*}} iter_args(%[[T:.*]] =
// CHECK: %[[G:.*]] = hk.param "{}.g"[%[[L]]]
// CHECK: %[[W:.*]] = hk.param "{}.w"[%[[L]]]
// CHECK: %[[N:.*]] = hk.rms_norm %[[T]] : tensor<?x8x16xf32>
// CHECK: %[[WG:.*]] = hk.pack.scale_dim %[[W]], %[[G]] dim 1
// CHECK: %[[Y:.*]] = hk.linear %[[N]], %[[WG]] : tensor<?x8x16xf32>, tensor<16x16xf32>
// CHECK: %[[M:.*]] = hk.layer_norm %[[Y]] : tensor<?x8x16xf32>
// CHECK: hk.linear %[[M]]
func.func @in_a_loop(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %l = %c0 to %c4 step %c1 iter_args(%t = %x) -> (!x) {
    %g = hk.param "{}.g"[%l] : !v
    %w = hk.param "{}.w"[%l] : !w
    %n = hk.rms_norm %t, %g : !x, !v
    %r = hk.linear %n, %w : !x, !w
    %m = hk.layer_norm %r, %g : !x, !v
    %s = hk.linear %m, %w : !x, !w
    scf.yield %s : !x
  }
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// An oracle is not touched.
// CHECK-LABEL: func.func @oracle(
// CHECK: hk.rms_norm %{{.*}}, %{{.*}} :
func.func @oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %g = hk.param "g" : !v
  %w = hk.param "w" : !w
  %n = hk.rms_norm %x, %g : !x, !v
  %y = hk.linear %n, %w : !x, !w
  return %y : !x
}
