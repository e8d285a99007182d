// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-partition | FileCheck %s
// RUN: hk-opt %s -split-input-file -tile-partition=producers=2 | FileCheck %s -check-prefix=TWO
// RUN: hk-opt %s -split-input-file -tile-partition -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!a = !tile.frag<16x64xf16>
!f = !tile.frag<16x64xf32>
!w = !tile.tiles<64x64xf16>

// The producer needs the length of the sequence, the number of the tile that
// the loop carries, and the result of the condition, not the accumulator.
// REMARK: [Passed] Roles | Category:tile-partition | Function=slice | Remark="4 consumer warps and 1 that copy"
// TWO: tile.kernel @slice({{.*}}producers = 2 : i64
// CHECK-LABEL: tile.kernel @slice(
// CHECK-SAME: %[[T:.*]]: !tile.tiles<64x64xf16>, %[[L:.*]]: memref<?xi32>, %{{.*}}: memref<?x64xf32>, %[[N:.*]]: index
// CHECK-SAME: producers = 1 : i64
tile.kernel @slice(%t: !w, %l: memref<?xi32>, %y: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
  %c = tile.chan bulk : !c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %u = tile.unit
  %one = arith.constant 1.0 : f16
  %x = tile.splat %one : f16 -> !a
  %zero = arith.constant 0.0 : f32
  %z = tile.splat %zero : f32 -> !f
  %item = tile.item
  %length = memref.load %l[%item] : memref<?xi32>
  %end = arith.index_cast %length : i32 to index
  %p = arith.cmpi slt, %end, %n : index
  // CHECK: %[[C:.*]] = tile.chan bulk
  // CHECK-NEXT: tile.role producer {
  // CHECK-NOT: tile.unit
  // CHECK-NOT: tile.splat
  // CHECK: %[[LENGTH:.*]] = memref.load %[[L]]
  // CHECK: %[[END:.*]] = arith.index_cast %[[LENGTH]]
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[I:.*]] = %{{.*}}) -> (index) {
  // CHECK-NEXT: %[[S:.*]] = tile.acquire %[[C]]
  // CHECK-NEXT: tile.copy %[[T]][%[[I]]] to %[[S]]
  // CHECK-NEXT: tile.commit %[[C]]
  // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]]
  // CHECK-NEXT: scf.yield %[[NEXT]] : index
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %{{.*}} -> (index) {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tile.acquire
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.acquire
  // CHECK-NEXT: tile.copy
  // CHECK-NEXT: tile.commit
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.role consumer {
  // CHECK: tile.unit
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[K:.*]] = %{{.*}}) -> (!tile.frag<16x64xf32>, index)
  // CHECK-NOT: tile.acquire
  // CHECK-NOT: tile.copy
  // CHECK: tile.wait %[[C]]
  // CHECK-NEXT: tile.mma
  // CHECK-NEXT: tile.release %[[C]]
  // CHECK: tile.store
  // CHECK: tile.return
  %d:2 = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %z, %k = %c0) -> (!f, index) {
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%k] to %s : !w -> !b
    tile.commit %c : !c
    %next = arith.addi %k, %c2 : index
    %b = tile.wait %c : !c -> !b
    %e = tile.mma %x, %b[%c0, %c0], %acc : !a, !b, !f -> !f
    tile.release %c : !c
    scf.yield %e, %next : !f, index
  }
  %q:2 = scf.if %p -> (index, !f) {
    scf.yield %n, %d#0 : index, !f
  } else {
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%d#1] to %s : !w -> !b
    tile.commit %c : !c
    %b = tile.wait %c : !c -> !b
    %e = tile.mma %x, %b[%c0, %c0], %d#0 : !a, !b, !f -> !f
    tile.release %c : !c
    scf.yield %d#1, %e : index, !f
  }
  %s = tile.acquire %c : !c -> !b
  tile.copy %t[%q#0] to %s : !w -> !b
  tile.commit %c : !c
  %b = tile.wait %c : !c -> !b
  %e = tile.mma %x, %b[%c0, %c0], %q#1 : !a, !b, !f -> !f
  tile.release %c : !c
  tile.store %e to %y[%u, %c0] : !f, memref<?x64xf32>
  tile.return
}

// -----

!b = !tile.buf<128x256xf16>
!c = !tile.chan<128x256xf16, 2>
!a = !tile.frag<16x64xf16>

// Much to copy by lanes, and little to compute.
// CHECK-LABEL: tile.kernel @copies(
// CHECK-SAME: producers = 4 : i64
tile.kernel @copies(%x: memref<?x256xf16>, %n: index) attributes {units = 4 : i64} {
  %c = tile.chan async : !c
  %c0 = arith.constant 0 : index
  %s = tile.acquire %c : !c -> !b
  tile.copy %x[%n, %c0] to %s : memref<?x256xf16> -> !b
  tile.commit %c : !c
  %b = tile.wait %c : !c -> !b
  %f = tile.fetch %b[%c0, %c0] : !b -> !a
  tile.release %c : !c
  tile.return
}

// -----

// Nothing to copy: no roles.
// CHECK-LABEL: tile.kernel @rows(
// CHECK-NOT: tile.role
tile.kernel @rows(%x: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
  %h = tile.load %x[%n, %n] : memref<?x64xf32> -> !tile.frag<16x64xf32>
  tile.store %h to %x[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!w = !tile.tiles<64x64xf16>

// Where registers are shared out, producers are a whole warpgroup.
// CHECK-LABEL: tile.kernel @registers(
// CHECK-SAME: producers = 4 : i64
// TWO: tile.kernel @registers({{.*}}producers = 4 : i64
// REMARK: Function=registers | Remark="4 consumer warps and 4 that copy"
tile.kernel @registers(%t: !w, %n: index) attributes {units = 4 : i64, hk.ctas = 2 : i64} {
  %c = tile.chan bulk : !c
  %s = tile.acquire %c : !c -> !b
  tile.copy %t[%n] to %s : !w -> !b
  tile.commit %c : !c
  %b = tile.wait %c : !c -> !b
  tile.release %c : !c
  tile.return
}
