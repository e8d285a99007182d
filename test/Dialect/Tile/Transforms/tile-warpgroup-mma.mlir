// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-warpgroup-mma | FileCheck %s
// RUN: hk-opt %s -tile-warpgroup-mma -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!d = !tile.frag<16x64xf32>
!w = !tile.tiles<64x64xf16>
!x = memref<?x64xf16>

module attributes {hk.isa = "sm_90a"} {
  // In a loop, and where all of a warpgroup decide alike.
  // REMARK: [Passed] Warpgroup | Category:tile-warpgroup-mma | Function=together | Remark="3 products of a warpgroup"
  // CHECK-LABEL: tile.kernel @together(
  // CHECK: scf.for
  // CHECK: tile.mma {{.*}} {warpgroup}
  // CHECK: scf.if
  // CHECK: tile.mma {{.*}} {transpose_b, warpgroup}
  // CHECK: scf.if
  // CHECK: tile.mma {{.*}} {warpgroup}
  tile.kernel @together(%x: !x, %w: !w, %y: memref<?x64xf32>, %end: index) attributes {units = 8 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %u = tile.unit
    %group = arith.divui %u, %c4 : index
    %all = arith.divui %u, %c8 : index
    %a = tile.load %x[%u, %c0] rows(%end) : !x -> !a
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %r = scf.for %k = %c0 to %end step %c1 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k] : !w -> !b
      %s = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !d -> !d
      %first = arith.cmpi slt, %group, %k : index
      %t = scf.if %first -> (!d) {
        %m = tile.mma %a, %b[%c0, %c0], %s {transpose_b} : !a, !b, !d -> !d
        scf.yield %m : !d
      } else {
        scf.yield %s : !d
      }
      %none = arith.cmpi eq, %all, %k : index
      %v = scf.if %none -> (!d) {
        %m = tile.mma %a, %b[%c0, %c0], %t : !a, !b, !d -> !d
        scf.yield %m : !d
      } else {
        scf.yield %t : !d
      }
      scf.yield %v : !d
    }
    tile.store %r to %y[%u, %c0] rows(%end) : !d, memref<?x64xf32>
    tile.return
  }
}
