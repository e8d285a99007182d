// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s

// Copies of a matrix: widths, bounds, and who copies what.

module @sm_80 attributes {hk.isa = "sm_80"} {
  // Rows of 128 bytes: eight threads a row, four rows at a time. The swizzle of
  // every second step differs by one XOR. Nothing is out of bounds.
  // CHECK-LABEL: llvm.func @whole(
  // CHECK: arith.divui %{{.*}}, %c8
  // CHECK: arith.remui %{{.*}}, %c8
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
  // CHECK: %[[OTHER:.*]] = arith.xori %{{.*}}, %c64
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[OTHER]]
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[P]][512]
  // CHECK: nvvm.cp.async.shared.global %[[AT]]
  // CHECK-COUNT-2: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: cp.async.mbarrier.arrive.noinc
  tile.kernel @whole(%x: memref<?x128xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c = tile.chan async {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x64xf16, 1> -> !tile.buf<16x64xf16>
      tile.copy %x[%c0, %c64] to %s : memref<?x128xf16> -> !tile.buf<16x64xf16>
      tile.commit %c : !tile.chan<16x64xf16, 1>
    }
    tile.return
  }

  // Of rows at or after `rows` nothing is read.
  // CHECK-LABEL: llvm.func @rows(
  // CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %{{.*}}, %c0
  // CHECK: %[[BYTES:.*]] = arith.select %[[INSIDE]], %c16{{.*}}, %c0
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]]
  tile.kernel @rows(%x: memref<?x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan async {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x64xf16, 1> -> !tile.buf<16x64xf16>
      tile.copy %x[%c0, %c0] rows(%b) to %s : memref<?x64xf16> -> !tile.buf<16x64xf16>
      tile.commit %c : !tile.chan<16x64xf16, 1>
    }
    tile.return
  }

  // Rows of 76 bytes are aligned to 4. Columns from 30 on are left out.
  // CHECK-LABEL: llvm.func @words(
  // CHECK: %[[LEFT:.*]] = arith.subi %c60
  // CHECK: %[[MOST:.*]] = arith.minsi %[[LEFT]], %c4
  // CHECK: %[[BYTES:.*]] = arith.maxsi %[[MOST]], %c0
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %[[BYTES]]
  tile.kernel @words(%x: memref<?x38xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan async {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x32xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x32xf16, 1> -> !tile.buf<16x32xf16>
      tile.copy %x[%c0, %c0] columns(30) to %s : memref<?x38xf16> -> !tile.buf<16x32xf16>
      tile.commit %c : !tile.chan<16x32xf16, 1>
    }
    tile.return
  }

  // Two bytes are too few for cp.async. Threads that store arrive themselves.
  // CHECK-LABEL: llvm.func @narrow(
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
  // CHECK: "cp.async.wait_all;"
  // CHECK-NEXT: "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0+2048]; }"
  tile.kernel @narrow(%x: memref<?x37xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan async {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x32xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x32xf16, 1> -> !tile.buf<16x32xf16>
      tile.copy %x[%c0, %c0] to %s : memref<?x37xf16> -> !tile.buf<16x32xf16>
      tile.commit %c : !tile.chan<16x32xf16, 1>
    }
    tile.return
  }
}
