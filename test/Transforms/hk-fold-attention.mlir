// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-fold-attention | FileCheck %s
// Folding again changes nothing.
// RUN: hk-opt %s -split-input-file -hk-fold-attention -hk-fold-attention | FileCheck %s
// RUN: hk-opt %s -split-input-file -hk-fold-attention -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// hd = 4: the factor is log2(e) / 2 = 0.721347520444481704, to 53 bits
// REMARK: remark: [Passed] ScaleFolded | Category:hk-fold-attention | Function=all | Remark="scale and log2(e) folded into the query's linear"
// REMARK: remark: [Passed] KeyBiasDropped | Category:hk-fold-attention | Function=all | Remark="bias of the key dropped: the softmax cancels it"
// REMARK: remark: [Passed] ValueBiasMoved | Category:hk-fold-attention | Function=all | Remark="bias of the value moved into the linear that follows: every row that is read sees a key"
// CHECK-LABEL: func.func @all(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x16xf32>
// CHECK-DAG: %[[WQ:.*]] = hk.param "q.w"
// CHECK-DAG: %[[BQ:.*]] = hk.param "q.b"
// CHECK-DAG: %[[WK:.*]] = hk.param "k.w"
// CHECK-DAG: %[[WV:.*]] = hk.param "v.w"
// CHECK-DAG: %[[BV:.*]] = hk.param "v.b"
// CHECK-DAG: %[[WO:.*]] = hk.param "o.w"
// CHECK-DAG: %[[BO:.*]] = hk.param "o.b"
// CHECK: %[[WQ1:.*]] = hk.pack.scale %[[WQ]] by 0.72134752044448169 : tensor<16x16xf32>
// CHECK: %[[BQ1:.*]] = hk.pack.scale %[[BQ]] by 0.72134752044448169 : tensor<16xf32>
// CHECK: %[[Q:.*]] = hk.linear %[[X]], %[[WQ1]], %[[BQ1]]
// CHECK: %[[K:.*]] = hk.linear %[[X]], %[[WK]] : tensor<?x8x16xf32>, tensor<16x16xf32>
// CHECK: %[[V:.*]] = hk.linear %[[X]], %[[WV]] : tensor<?x8x16xf32>, tensor<16x16xf32>
// CHECK: %[[C:.*]] = hk.attention %[[Q]], %[[K]], %[[V]] {base2, num_heads = 4 : i32, scale = 1.000000e+00 : f64}
// CHECK: %[[B:.*]] = hk.pack.matvec %[[WO]], %[[BV]] : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
// CHECK: %[[BO1:.*]] = hk.pack.add %[[B]], %[[BO]] : tensor<16xf32>
// CHECK: hk.linear %[[C]], %[[WO]], %[[BO1]]
func.func @all(%x: !x) -> !x {
  %wq = hk.param "q.w" : !w
  %bq = hk.param "q.b" : !v
  %wk = hk.param "k.w" : !w
  %bk = hk.param "k.b" : !v
  %wv = hk.param "v.w" : !w
  %bv = hk.param "v.b" : !v
  %wo = hk.param "o.w" : !w
  %bo = hk.param "o.b" : !v
  %q = hk.linear %x, %wq, %bq : !x, !w, !v
  %k = hk.linear %x, %wk, %bk : !x, !w, !v
  %v = hk.linear %x, %wv, %bv : !x, !w, !v
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x
  %y = hk.linear %c, %wo, %bo : !x, !w, !v
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>

// A softmax that is in base 2 already takes the scale as it is; no bias of the
// query, and none before of the output. Causal queries see themselves.
// CHECK-LABEL: func.func @base2(
// CHECK: %[[BV:.*]] = hk.param "v.b"
// CHECK: %[[WQ:.*]] = hk.pack.scale %{{.*}} by 3.000000e+00
// CHECK: hk.linear %{{.*}}, %[[WQ]] : tensor<?x8x16xf32>, tensor<16x16xf32>
// CHECK: %[[C:.*]] = hk.attention %{{.*}} {base2, causal, num_heads = 4 : i32, scale = 1.000000e+00 : f64}
// CHECK: %[[B:.*]] = hk.pack.matvec %{{.*}}, %[[BV]]
// CHECK: hk.linear %[[C]], %{{.*}}, %[[B]]
func.func @base2(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %bv = hk.param "v.b" : !v
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %bv : !x, !w, !v
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32, causal, base2, scale = 3.0 : f64} : !x, !x, !x
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
!v = tensor<16xf32>
!m = tensor<?x8xi1>
!n = tensor<?xi32>

// With a mask, where only valid rows are read: they see themselves.
// REMARK-COUNT-2: Function=masks | Remark="bias of the value moved
// CHECK-LABEL: func.func @masks(
// CHECK: hk.attention {{.*}} key_mask(
// CHECK-NEXT: hk.pack.matvec
// CHECK: hk.attention {{.*}} lengths(
// CHECK-NEXT: hk.pack.matvec
func.func @masks(%x: !x, %m: !m, %n: !n) -> (!x, !x) {
  %w = hk.param "w" : !w
  %b = hk.param "b" : !v
  %q = hk.linear %x, %w : !x, !w
  %k = hk.linear %x, %w : !x, !w
  %v = hk.linear %x, %w, %b : !x, !w, !v
  %c = hk.attention %q, %k, %v key_mask(%m) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %o = hk.linear %c, %w : !x, !w
  %y = hk.mask_rows %o key_mask(%m) : !x, !m
  %q1 = hk.linear %x, %w : !x, !w
  %k1 = hk.linear %x, %w : !x, !w
  %v1 = hk.linear %x, %w, %b : !x, !w, !v
  %c1 = hk.attention %q1, %k1, %v1 lengths(%n) {num_heads = 4 : i32} : !x, !x, !x, !n
  %o1 = hk.linear %c1, %w : !x, !w
  %r1 = hk.add %o1, %x : !x, !x
  %y1 = hk.mask_rows %r1 lengths(%n) : !x, !n
  return %y, %y1 : !x, !x
}

// -----

!x = tensor<?x8x16xf32>
!k = tensor<?x8x8xf32>
!w = tensor<16x16xf32>
!u = tensor<8x16xf32>
!v = tensor<16xf32>
!b = tensor<8xf32>

// Grouped queries: the scale and the K bias are folded all the same.
// CHECK-LABEL: func.func @grouped(
// CHECK: hk.pack.scale
// CHECK: hk.pack.scale
// CHECK: hk.linear %{{.*}}, %{{.*}} : tensor<?x8x16xf32>, tensor<8x16xf32>
// CHECK-NEXT: hk.linear
// CHECK-NEXT: hk.attention {{.*}} {base2, num_heads = 4 : i32, num_kv_heads = 2 : i32, scale = 1.000000e+00 : f64}
func.func @grouped(%x: !x) -> !x {
  %w = hk.param "w" : !w
  %u = hk.param "u" : !u
  %bq = hk.param "bq" : !v
  %bk = hk.param "bk" : !b
  %q = hk.linear %x, %w, %bq : !x, !w, !v
  %k = hk.linear %x, %u, %bk : !x, !u, !b
  %v = hk.linear %x, %u : !x, !u
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !k, !k
  %y = hk.linear %c, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

// An oracle is not touched.
// CHECK-LABEL: func.func @oracle(
// CHECK-NOT: hk.pack
// CHECK: return
func.func @oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %w = hk.param "w" : !w
  %q = hk.linear %x, %w : !x, !w
  %c = hk.attention %q, %x, %x {num_heads = 4 : i32} : !x, !x, !x
  return %c : !x
}
