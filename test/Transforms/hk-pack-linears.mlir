// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-pack-linears | FileCheck %s
// Packing again changes nothing.
// RUN: hk-opt %s -split-input-file -hk-pack-linears -hk-pack-linears | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-pack-linears -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!k = tensor<?x8x8xf32>
!w = tensor<16x16xf32>
!u = tensor<8x16xf32>
!v = tensor<16xf32>

// Q, K and V, of different widths; only Q has a bias.
// REMARK: remark: [Passed] Packed | Category:hk-pack-linears | Function=qkv | Remark="packed 3 linears of one input into one"
// CHECK-LABEL: func.func @qkv(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>
// CHECK: %[[WQ:.*]] = hk.param "q.w"
// CHECK: %[[BQ:.*]] = hk.param "q.b"
// CHECK: %[[WK:.*]] = hk.param "k.w"
// CHECK: %[[WV:.*]] = hk.param "v.w"
// CHECK: %[[W:.*]] = hk.pack.concat %[[WQ]], %[[WK]], %[[WV]] dim 0 : tensor<16x16xf32>, tensor<8x16xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
// CHECK: %[[ZK:.*]] = hk.pack.zeros : tensor<8xf32>
// CHECK: %[[ZV:.*]] = hk.pack.zeros : tensor<8xf32>
// CHECK: %[[B:.*]] = hk.pack.concat %[[BQ]], %[[ZK]], %[[ZV]] dim 0 : tensor<16xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<32xf32>
// CHECK: %[[QKV:.*]] = hk.linear %[[X]], %[[W]], %[[B]] : tensor<?x8x16xf32>, tensor<32x16xf32>, tensor<32xf32>
// CHECK: %[[S:.*]]:3 = hk.split %[[QKV]] : tensor<?x8x32xf32> -> tensor<?x8x16xf32>, tensor<?x8x8xf32>, tensor<?x8x8xf32>
// CHECK: hk.attention %[[S]]#0, %[[S]]#1, %[[S]]#2
func.func @qkv(%x: !x) -> !x {
  %wq = hk.param "q.w" : !w
  %bq = hk.param "q.b" : !v
  %q = hk.linear %x, %wq, %bq : !x, !w, !v
  %wk = hk.param "k.w" : !u
  %k = hk.linear %x, %wk : !x, !u
  %wv = hk.param "v.w" : !u
  %v = hk.linear %x, %wv : !x, !u
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !k, !k
  return %c : !x
}

// -----

!x = tensor<?x8x16xf32>
!f = tensor<?x8x32xf32>
!w = tensor<32x16xf32>
!v = tensor<16xf32>

// A gated feed-forward network, in a loop, without biases. The second weight
// is made of parameters by what stands after the first linear: it moves.
// CHECK-LABEL: func.func @gated(
// CHECK: scf.for %[[L:.*]] = {{.*}} iter_args(%[[T:.*]] =
// CHECK: %[[WG:.*]] = hk.param "{}.g"[%[[L]]]
// CHECK: %[[WU:.*]] = hk.param "{}.u"[%[[L]]]
// CHECK: %[[N:.*]] = hk.param "{}.n"[%[[L]]]
// CHECK: %[[WN:.*]] = hk.pack.scale_dim %[[WU]], %[[N]] dim 1
// CHECK: %[[W:.*]] = hk.pack.concat %[[WG]], %[[WN]] dim 0
// CHECK: %[[Y:.*]] = hk.linear %[[T]], %[[W]] : tensor<?x8x16xf32>, tensor<64x16xf32>
// CHECK: %[[S:.*]]:2 = hk.split %[[Y]]
// CHECK: %[[A:.*]] = hk.activation silu %[[S]]#0
// CHECK: hk.mul %[[A]], %[[S]]#1
func.func @gated(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %l = %c0 to %c4 step %c1 iter_args(%t = %x) -> (!x) {
    %wg = hk.param "{}.g"[%l] : !w
    %g = hk.linear %t, %wg : !x, !w
    %a = hk.activation silu %g : !f
    %wu = hk.param "{}.u"[%l] : !w
    %n = hk.param "{}.n"[%l] : !v
    %wn = hk.pack.scale_dim %wu, %n dim 1 : !w, !v
    %u = hk.linear %t, %wn : !x, !w
    %m = hk.mul %a, %u : !f, !f
    %wo = hk.param "{}.o"[%l] : tensor<16x32xf32>
    %o = hk.linear %m, %wo : !f, tensor<16x32xf32>
    scf.yield %o : !x
  }
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// An oracle is not touched.
// CHECK-LABEL: func.func @oracle(
// CHECK-NOT: hk.split
// CHECK: return
func.func @oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %w = hk.param "w" : !w
  %a = hk.linear %x, %w : !x, !w
  %b = hk.linear %x, %w : !x, !w
  %y = hk.add %a, %b : !x, !x
  return %y : !x
}
