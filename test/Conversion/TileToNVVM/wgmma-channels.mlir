// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s

// Channels that feed wgmma: fences, releases, and the registers of both roles.

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!d = !tile.frag<16x64xf32>
!x = memref<?x64xf16>

module @sm_90a attributes {hk.isa = "sm_90a"} {
  // Slots that lanes copy: a fence for both waits, none in the products. Of those
  // that wgmma alone reads, one lane of each unit arrives.
  // CHECK-LABEL: llvm.func @async(
  // CHECK-NOT: minctasm
  // CHECK: "mbarrier.init.shared.b64 [$0+16384], 32;"
  // CHECK: "mbarrier.init.shared.b64 [$0+16400], 4;"
  // CHECK-NOT: setmaxnreg
  // CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
  // CHECK: mbarrier.try_wait
  // CHECK-NOT: fence.proxy
  // CHECK: mbarrier.try_wait
  // CHECK: "fence.proxy.async.shared::cta;"
  // CHECK-NOT: fence.proxy
  // CHECK: wgmma.mma_async
  // CHECK-NOT: fence
  // CHECK: %[[LANE:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // CHECK: mbarrier.arrive{{.*}} %[[LANE]]
  // CHECK-NOT: fence.proxy
  // CHECK: wgmma.mma_async
  // CHECK: mbarrier.arrive
  // CHECK-NOT: wgmma
  tile.kernel @async(%x: !x, %y: memref<?x64xf32>, %n: index)
      attributes {units = 4 : i64, producers = 1 : i64, shared = 16416 : i64} {
    %c0 = arith.constant 0 : index
    %k = tile.chan async {offset = 0 : i64, barriers = 16384 : i64} : !c
    tile.role producer {
      %s = tile.acquire %k : !c -> !b
      tile.copy %x[%c0, %c0] to %s : !x -> !b
      tile.commit %k : !c
      %t = tile.acquire %k : !c -> !b
      tile.copy %x[%c0, %c0] to %t : !x -> !b
      tile.commit %k : !c
    }
    tile.role consumer {
      %a = tile.load %x[%n, %c0] : !x -> !a
      %s = tile.wait %k : !c -> !b
      %t = tile.wait %k : !c -> !b
      %d = tile.mma %a, %s[%c0, %c0] {warpgroup} : !a, !b -> !d
      tile.release %k : !c
      %e = tile.mma %a, %t[%c0, %c0], %d {transpose_b, warpgroup} : !a, !b, !d -> !d
      tile.release %k : !c
      tile.store %e to %y[%n, %c0] : !d, memref<?x64xf32>
    }
    tile.return
  }

  // A bulk copy is seen without a fence. Where ldmatrix reads a slot as well, every
  // lane arrives, behind a fence.
  // CHECK-LABEL: llvm.func @bulk(
  // CHECK: "mbarrier.init.shared.b64 [$0+16400], 128;"
  // CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
  // CHECK: mbarrier.try_wait
  // CHECK-NOT: fence.proxy
  // CHECK: wgmma.mma_async
  // CHECK: mma.sync
  // CHECK: "fence.proxy.async.shared::cta;"
  // CHECK: "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0+16400]; }", "r,~{memory}"
  tile.kernel @bulk(%x: !x, %w: !tile.tiles<64x64xf16>, %y: memref<?x64xf32>, %n: index)
      attributes {units = 4 : i64, producers = 1 : i64, shared = 16416 : i64} {
    %c0 = arith.constant 0 : index
    %k = tile.chan bulk {offset = 0 : i64, barriers = 16384 : i64} : !c
    tile.role producer {
      %s = tile.acquire %k : !c -> !b
      tile.copy %w[%c0] to %s : !tile.tiles<64x64xf16> -> !b
      tile.commit %k : !c
    }
    tile.role consumer {
      %a = tile.load %x[%n, %c0] : !x -> !a
      %s = tile.wait %k : !c -> !b
      %d = tile.mma %a, %s[%c0, %c0] {warpgroup} : !a, !b -> !d
      %e = tile.mma %a, %s[%c0, %c0], %d : !a, !b, !d -> !d
      tile.release %k : !c
      tile.store %e to %y[%n, %c0] : !d, memref<?x64xf32>
    }
    tile.return
  }

  // Slots that lanes copy for mma.sync alone need no fence at the wait.
  // CHECK-LABEL: llvm.func @warps(
  // CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
  // CHECK: mbarrier.try_wait
  // CHECK-NOT: fence.proxy
  // CHECK: mma.sync
  tile.kernel @warps(%x: !x, %y: memref<?x64xf32>, %n: index)
      attributes {units = 4 : i64, producers = 1 : i64, shared = 16416 : i64} {
    %c0 = arith.constant 0 : index
    %k = tile.chan async {offset = 0 : i64, barriers = 16384 : i64} : !c
    tile.role producer {
      %s = tile.acquire %k : !c -> !b
      tile.copy %x[%c0, %c0] to %s : !x -> !b
      tile.commit %k : !c
    }
    tile.role consumer {
      %a = tile.load %x[%n, %c0] : !x -> !a
      %s = tile.wait %k : !c -> !b
      %d = tile.mma %a, %s[%c0, %c0] : !a, !b -> !d
      tile.release %k : !c
      tile.store %d to %y[%n, %c0] : !d, memref<?x64xf32>
    }
    tile.return
  }

  // Two CTAs on an SM, each of 256 threads: 128 registers for all, of which
  // producers keep 32, so that 224 are left for a thread that computes.
  // CHECK-LABEL: llvm.func @registers(
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // CHECK-NOT: hk.ctas
  // CHECK: arith.cmpi uge, %{{.*}}, %c4_i32
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: "setmaxnreg.dec.sync.aligned.u32 32;"
  // CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: "setmaxnreg.inc.sync.aligned.u32 224;"
  // CHECK-NOT: setmaxnreg
  tile.kernel @registers(%n: index)
      attributes {units = 4 : i64, producers = 4 : i64, shared = 0 : i64, hk.mma = "wgmma", hk.ctas = 2 : i64} {
    tile.role producer {
    }
    tile.role consumer {
    }
    tile.return
  }

  // One CTA has all registers that its threads can have; nothing to give away.
  // CHECK-LABEL: llvm.func @roomy(
  // CHECK-NOT: minctasm
  // CHECK-NOT: setmaxnreg
  // CHECK: llvm.return
  tile.kernel @roomy(%n: index)
      attributes {units = 4 : i64, producers = 4 : i64, shared = 0 : i64, hk.mma = "wgmma", hk.ctas = 1 : i64} {
    tile.role producer {
    }
    tile.role consumer {
    }
    tile.return
  }
}
