// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --canonicalize --cse | FileCheck %s

#v4 = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B * 4)>
!x = tensor<?x256x64xf32>
!kv = tensor<?x256x32xf32>

// Blocks of 32 queries and 64 keys. In scratch: Q^T 32 x 32, the scores
// 64 x 32, the context 32 x 32, of four bytes; nothing is as large as S x S.

// CHECK-LABEL: func.func @causal
// CHECK-SAME: hk.scratch = 16384 : i64
// Heads, blocks of queries.
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c32
// The queries are transposed.
// CHECK: vector.shuffle
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// Whole blocks: nothing is compared.
// CHECK: scf.if {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: arith.cmpi sge
// Edge blocks: the key's token against the queries'.
// CHECK: } else {
// CHECK: arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// A value that is not finite must not reach the queries before its key: where
// there is one, zero powers are skipped.
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: %[[FINITE:.*]] = arith.cmpf oeq, %[[SUM]], %{{.*}} : f32
// CHECK: scf.if %[[FINITE]] {
// CHECK-NOT: arith.cmpf une
// CHECK: } else {
// CHECK: arith.cmpf une, %{{.*}} : vector<16xf32>
// CHECK: return
hk.executable @causal {
  hk.variant #v4 grid(#grid) {
  ^bb0(%q: !x, %k: !x, %v: !x):
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32, causal} : !x, !x, !x
    hk.yield %y : !x
  }
}

// Without a mask of any kind nothing is compared at the diagonal.

// CHECK-LABEL: func.func @full
// CHECK-NOT: arith.cmpi sge
// CHECK-NOT: vector.reduction
// CHECK: return
hk.executable @full {
  hk.variant #v4 grid(#grid) {
  ^bb0(%q: !x, %k: !x, %v: !x):
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32} : !x, !x, !x
    hk.yield %y : !x
  }
}

// With a key mask a whole block is looked at first; in an edge block values are
// copied, those of masked keys as zeros: 64 x 32 more in scratch.

// CHECK-LABEL: func.func @key_mask
// CHECK-SAME: hk.scratch = 24576 : i64
// CHECK: %[[BYTES:.*]] = vector.load %{{.*}} : memref<256xi8>, vector<64xi8>
// CHECK: vector.reduction <and>
// CHECK: memref.load %{{.*}} : memref<256xi8>
// CHECK: arith.select %{{[0-9]+}}, %{{[0-9]+}}, %{{[a-z_0-9]+}} : vector<16xf32>
// CHECK: return
hk.executable @key_mask {
  hk.variant #v4 grid(#grid) {
  ^bb0(%q: !x, %k: !x, %v: !x, %m: tensor<?x256xi1>):
    %y = hk.attention %q, %k, %v key_mask(%m) {num_heads = 2 : i32}
        : !x, !x, !x, tensor<?x256xi1>
    hk.yield %y : !x
  }
}

// A group of query heads shares the columns of one key head.

// CHECK-LABEL: func.func @grouped
// CHECK: scf.for %[[HEAD:.*]] = %c0{{.*}} to %c4
// CHECK: arith.divui %[[HEAD]], %c2
// CHECK: return
hk.executable @grouped {
  hk.variant #v4 grid(#grid) {
  ^bb0(%q: !x, %k: !kv, %v: !kv):
    %y = hk.attention %q, %k, %v {num_heads = 4 : i32, num_kv_heads = 2 : i32}
        : !x, !kv, !kv
    hk.yield %y : !x
  }
}

// The length, brought into [0, S], is where the keys end.

// CHECK-LABEL: func.func @lengths
// CHECK: %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[I:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[P:.*]] = arith.maxsi %[[I]], %c0
// CHECK: arith.minsi %[[P]], %c256
// CHECK: return
hk.executable @lengths {
  hk.variant #v4 grid(#grid) {
  ^bb0(%q: !x, %k: !x, %v: !x, %n: tensor<?xi32>):
    %y = hk.attention %q, %k, %v lengths(%n) {num_heads = 2 : i32}
        : !x, !x, !x, tensor<?xi32>
    hk.yield %y : !x
  }
}
