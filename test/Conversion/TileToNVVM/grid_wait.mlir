// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sed 's/sm_90a/sm_120/g' %s | hk-opt --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sed 's/sm_90a/sm_89/g' %s | hk-opt --tile-to-nvvm --canonicalize | FileCheck %s --check-prefixes=CHECK,OLD

// Kernels that wait for those in front of them: where devices can.

module @sm_90a attributes {hk.isa = "sm_90a"} {
  // OLD-NOT: griddepcontrol
  // OLD-NOT: hk.grid_wait
  // The next kernel may begin at once. What the kernel in front writes is
  // neither read before the wait nor through the read-only path, which may hold
  // what was there before.
  // CHECK-LABEL: llvm.func @rows(
  // SM90-SAME: hk.grid_wait
  // SM90: "griddepcontrol.launch_dependents;", "~{memory}"
  // CHECK: llvm.load %{{.*}} invariant
  // SM90: "griddepcontrol.wait;", "~{memory}"
  // SM90: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // OLD: llvm.load %{{.*}} invariant
  // CHECK: llvm.store
  tile.kernel @rows(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %g: memref<128xf32> {tile.constant}, %b: index) attributes {units = 8 : i64} {
    %c0 = arith.constant 0 : index
    %v = tile.load %g[%c0] : memref<128xf32> -> !tile.frag<1x128xf32, line>
    tile.grid_wait
    %f = tile.load %x[%c0, %c0] : memref<64x128xf32> -> !tile.frag<8x128xf32, line>
    %r = tile.map %f, %v : !tile.frag<8x128xf32, line>, !tile.frag<1x128xf32, line> -> !tile.frag<8x128xf32, line> {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tile.yield %s : f32
    }
    tile.store %r to %y[%c0, %c0] : !tile.frag<8x128xf32, line>, memref<64x128xf32>
    tile.return
  }

  // Masks are read before the wait, which depends on what they say: an
  // assembler orders it with nothing else.
  // CHECK-LABEL: llvm.func @masked(
  // SM90: %[[FIRST:.*]] = nvvm.redux.sync
  // SM90: %[[SECOND:.*]] = nvvm.redux.sync
  // SM90: %[[BOTH:.*]] = arith.ori %{{.*}}, %{{.*}} : i32
  // SM90: %[[KNOWN:.*]] = arith.cmpi ne, %[[BOTH]], %{{.*}} : i32
  // SM90: "@$0 griddepcontrol.wait;", "b,~{memory}" %[[KNOWN]]
  // SM90-NOT: nvvm.redux.sync
  // SM90: llvm.return
  tile.kernel @masked(%x: memref<64x128xf32>, %m: memref<64xi8> {tile.constant}, %y: memref<64x128xf32>, %b: index) attributes {units = 8 : i64} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %first = tile.extent %m[%c0] of(%c64) : memref<64xi8>
    %second = tile.extent %m[%c0] of(%c64) {leading} : memref<64xi8>
    tile.grid_wait
    %f = tile.load %x[%c0, %c0] rows(%first) : memref<64x128xf32> -> !tile.frag<8x128xf32, line>
    tile.store %f to %y[%c0, %c0] rows(%second) : !tile.frag<8x128xf32, line>, memref<64x128xf32>
    tile.return
  }

  // Without a wait nothing says that the next one may begin.
  // CHECK-LABEL: llvm.func @plain(
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.load %{{.*}} invariant
  tile.kernel @plain(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %b: index) attributes {units = 8 : i64} {
    %c0 = arith.constant 0 : index
    %f = tile.load %x[%c0, %c0] : memref<64x128xf32> -> !tile.frag<8x128xf32, line>
    tile.store %f to %y[%c0, %c0] : !tile.frag<8x128xf32, line>, memref<64x128xf32>
    tile.return
  }

  // Barriers come first; each role waits.
  // CHECK-LABEL: llvm.func @roles(
  // CHECK: mbarrier.init
  // CHECK: "bar.sync 0;"
  // SM90-NEXT: llvm.inline_asm {{.*}}"griddepcontrol.launch_dependents;"
  // CHECK: scf.if
  // SM90: "griddepcontrol.wait;"
  // SM90-NOT: griddepcontrol
  // CHECK: scf.if
  // SM90: "griddepcontrol.wait;"
  // SM90-NOT: griddepcontrol
  // CHECK: llvm.return
  tile.kernel @roles(%x: memref<?x64xf16>, %b: index)
      attributes {units = 2 : i64, producers = 1 : i64, shared = 4128 : i64} {
    %c = tile.chan async {offset = 0 : i64, barriers = 4096 : i64} : !tile.chan<16x64xf16, 2>
    %c0 = arith.constant 0 : index
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x64xf16, 2> -> !tile.buf<16x64xf16>
      tile.grid_wait
      tile.copy %x[%c0, %c0] to %s : memref<?x64xf16> -> !tile.buf<16x64xf16>
      tile.commit %c : !tile.chan<16x64xf16, 2>
    }
    tile.role consumer {
      %s = tile.wait %c : !tile.chan<16x64xf16, 2> -> !tile.buf<16x64xf16>
      tile.release %c : !tile.chan<16x64xf16, 2>
      tile.grid_wait
    }
    tile.return
  }
}
