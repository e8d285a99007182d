// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-warpgroup-mma | FileCheck %s
// RUN: hk-opt %s -tile-warpgroup-mma -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

// Products that stay those of a warp.
// CHECK-NOT: warpgroup

!a = !tile.frag<16x64xf16>
!b = !tile.buf<64x64xf16>
!d = !tile.frag<16x64xf32>
!x = memref<?x64xf16>

module attributes {hk.isa = "sm_90a"} {
  // Nobody asks.
  // REMARK-NOT: Function=unasked
  // CHECK-LABEL: tile.kernel @unasked(
  // CHECK: tile.mma
  tile.kernel @unasked(%x: !x, %end: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %b = tile.alloc : !b
    %a = tile.load %x[%end, %c0] : !x -> !a
    %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    tile.return
  }

  // Units of a warpgroup that go different ways: by their number, by that
  // divided by what is no multiple of 4, and by what a frag holds.
  // REMARK: [Missed] Warp | Category:tile-warpgroup-mma | Function=apart | Remark="expects bounds and conditions that are the same for a warpgroup, but got what depends on tile.unit"
  // REMARK: Function=apart | Remark="{{.*}}, but got what depends on tile.unit"
  // REMARK: Function=apart | Remark="{{.*}}, but got what depends on tile.unit"
  // REMARK: Function=apart | Remark="{{.*}}, but got what depends on tile.vote"
  // CHECK-LABEL: tile.kernel @apart(
  // CHECK-COUNT-4: tile.mma
  tile.kernel @apart(%x: !x, %end: index) attributes {units = 8 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %u = tile.unit
    %pairs = arith.divui %u, %c6 : index
    %shifted = arith.addi %u, %c4 : index
    %later = arith.divui %shifted, %c4 : index
    %b = tile.alloc : !b
    %a = tile.load %x[%u, %c0] : !x -> !a
    scf.for %i = %u to %end step %c1 {
      %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    }
    %p = arith.cmpi eq, %pairs, %c0 : index
    scf.if %p {
      %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    }
    %q = arith.cmpi eq, %later, %c0 : index
    scf.if %q {
      %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    }
    %rows = tile.row_index %u : !tile.frag<16x1xi32>
    %bits = tile.map %rows : !tile.frag<16x1xi32> -> !tile.frag<16x1xi1> {
    ^bb0(%e: i32):
      %bit = arith.trunci %e : i32 to i1
      tile.yield %bit : i1
    }
    %v = tile.vote any %bits : !tile.frag<16x1xi1>
    scf.if %v {
      %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    }
    tile.return
  }

  // Units that read other rows of B, as those of several sequences do.
  // REMARK: Function=rows | Remark="expects a row of B that is the same for a warpgroup, but got what depends on tile.unit"
  // CHECK-LABEL: tile.kernel @rows(
  // CHECK: tile.mma
  tile.kernel @rows(%x: !x, %end: index) attributes {units = 4 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %u = tile.unit
    %sequence = arith.divui %u, %c2 : index
    %row = arith.muli %sequence, %c32 : index
    %b = tile.alloc : !b
    %a = tile.load %x[%end, %c0] : !x -> !a
    %d = tile.mma %a, %b[%row, %c0] {transpose_b} : !a, !b -> !d
    tile.return
  }

  // Shapes that wgmma has not. (C6 of tile.mma)
  // REMARK: Function=shapes | Remark="expects K of a multiple of 16 for a warpgroup, but got 8"
  // REMARK: Function=shapes | Remark="expects operands of f16 or bf16 of a warpgroup, but got f32"
  // REMARK: Function=shapes | Remark="expects a constant column for a warpgroup, but got one that is not"
  // REMARK: Function=shapes | Remark="expects a column of a multiple of 16 for a warpgroup, but got 8"
  // REMARK: Function=shapes | Remark="expects N within a block of 64 columns, or from its beginning on, for a warpgroup, but got 64 from 8 on"
  // CHECK-LABEL: tile.kernel @shapes(
  // CHECK-COUNT-5: tile.mma
  tile.kernel @shapes(%x: !x, %y: memref<?x64xf32>, %end: index) attributes {units = 4 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %b = tile.alloc : !b
    %wide = tile.alloc : !tile.buf<64x128xf16>
    %words = tile.alloc : !tile.buf<64x64xf32>
    %a = tile.load %x[%c0, %c0] : !x -> !a
    %f = tile.load %y[%c0, %c0] : memref<?x64xf32> -> !d
    %a8 = tile.slice %a[0] : !a -> !tile.frag<16x8xf16>
    %a16 = tile.slice %a[0] : !a -> !tile.frag<16x16xf16>
    %0 = tile.mma %a8, %b[%c0, %c0] : !tile.frag<16x8xf16>, !b -> !d
    %1 = tile.mma %f, %words[%c0, %c0] : !d, !tile.buf<64x64xf32> -> !d
    %2 = tile.mma %a16, %b[%c0, %end] : !tile.frag<16x16xf16>, !b -> !d
    %3 = tile.mma %a16, %b[%c0, %c8] : !tile.frag<16x16xf16>, !b -> !d
    %4 = tile.mma %a, %wide[%c0, %c8] {transpose_b} : !a, !tile.buf<64x128xf16> -> !d
    tile.return
  }

  // REMARK: Function=units | Remark="expects a multiple of 4 units for a warpgroup, but got 2"
  // REMARK-NOT: products of a warpgroup
  // CHECK-LABEL: tile.kernel @units(
  // CHECK: tile.mma
  tile.kernel @units(%x: !x, %end: index) attributes {units = 2 : i64, hk.mma = "wgmma"} {
    %c0 = arith.constant 0 : index
    %b = tile.alloc : !b
    %a = tile.load %x[%end, %c0] : !x -> !a
    %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    tile.return
  }
}
