// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sed 's/sm_90a/sm_80/g; s/chan bulk/chan async/' %s | hk-opt --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM80

// A channel of two slots of 2048 bytes, one producer, two units: barriers, ring
// and roles.

module @sm_90a attributes {hk.isa = "sm_90a"} {
  // CHECK-LABEL: llvm.func @ring(
  // Its state: for the producer, for waits and for releases.
  // CHECK-COUNT-5: llvm.alloca
  // CHECK-NOT: llvm.alloca
  // One thread initialises the barriers, full ones first.
  // CHECK: %[[IS0:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK: scf.if %[[IS0]]
  // SM90: "mbarrier.init.shared.b64 [$0+4096], 1;"
  // SM90: "mbarrier.init.shared.b64 [$0+4104], 1;"
  // SM80: "mbarrier.init.shared.b64 [$0+4096], 32;"
  // SM80: "mbarrier.init.shared.b64 [$0+4104], 32;"
  // CHECK: "mbarrier.init.shared.b64 [$0+4112], 64;"
  // CHECK: "mbarrier.init.shared.b64 [$0+4120], 64;"
  // SM90: "fence.mbarrier_init.release.cluster;"
  // SM80-NOT: fence
  // CHECK: "bar.sync 0;"

  // The producer.
  // CHECK: %[[LATER:.*]] = arith.cmpi uge, %{{.*}}, %c2_i32
  // CHECK: scf.if %[[LATER]]
  // CHECK: %[[SLOT:.*]] = llvm.load
  // CHECK: %[[PARITY:.*]] = llvm.load
  // CHECK: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1
  // CHECK: %[[BARRIER:.*]] = arith.addi
  // CHECK: scf.while
  // SM90: mbarrier.try_wait.parity.shared.b64 $0, [$1+4112], $2; vote.sync.all.pred $0, $0, -1;{{.*}} %[[BARRIER]], %[[BEFORE]]
  // SM80: mbarrier.test_wait.parity.shared.b64 $0, [$1+4112], $2; vote.sync.all.pred $0, $0, -1;{{.*}} %[[BARRIER]], %[[BEFORE]]
  // CHECK: scf.condition
  // CHECK: scf.if
  // CHECK: llvm.intr.trap
  // SM90: "@$1 mbarrier.arrive.expect_tx.shared.b64 _, [$0+4096], 2048;"
  // SM90: "@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3+4096];"
  // SM80-COUNT-4: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
  // SM80: "cp.async.mbarrier.arrive.noinc.shared.b64 [$0+4096];"
  // The next slot, and with the first one the other parity.
  // CHECK: %[[NEXT:.*]] = arith.addi
  // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c2
  // CHECK: arith.select %[[WRAPS]], %c0{{.*}}, %[[NEXT]]
  // CHECK: %[[FLIP:.*]] = arith.extui %[[WRAPS]]
  // CHECK: arith.xori %{{.*}}, %[[FLIP]]

  // The units.
  // CHECK: %[[SOONER:.*]] = arith.cmpi ult, %{{.*}}, %c2_i32
  // CHECK: scf.if %[[SOONER]]
  // CHECK: mbarrier.{{try|test}}_wait.parity.shared.b64 $0, [$1+4096], $2; vote.sync.all.pred $0, $0, -1;
  // CHECK: nvvm.ldmatrix
  // The emulator cannot tell that this fence is missing.
  // SM90: "fence.proxy.async.shared::cta;"
  // SM80: "fence.acq_rel.cta;"
  // CHECK-NOT: bar.warp.sync
  // Each lane arrives.
  // CHECK: "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0+4112]; }", "r,~{memory}"
  tile.kernel @ring(%w: !tile.tiles<16x64xf16>, %y: memref<?x64xf16>, %b: index)
      attributes {units = 2 : i64, producers = 1 : i64, shared = 4128 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c = tile.chan bulk {offset = 0 : i64, barriers = 4096 : i64} : !tile.chan<16x64xf16, 2>
    tile.role producer {
      scf.for %i = %c0 to %b step %c1 {
        %s = tile.acquire %c : !tile.chan<16x64xf16, 2> -> !tile.buf<16x64xf16>
        tile.copy %w[%i] to %s : !tile.tiles<16x64xf16> -> !tile.buf<16x64xf16>
        tile.commit %c : !tile.chan<16x64xf16, 2>
      }
    }
    tile.role consumer {
      scf.for %i = %c0 to %b step %c1 {
        %s = tile.wait %c : !tile.chan<16x64xf16, 2> -> !tile.buf<16x64xf16>
        %f = tile.fetch %s[%c0, %c0] : !tile.buf<16x64xf16> -> !tile.frag<16x64xf16>
        tile.release %c : !tile.chan<16x64xf16, 2>
        %row = arith.muli %i, %c16 : index
        tile.store %f to %y[%row, %c0] : !tile.frag<16x64xf16>, memref<?x64xf16>
      }
    }
    tile.return
  }
}
