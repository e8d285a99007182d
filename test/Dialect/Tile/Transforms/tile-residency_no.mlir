// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-residency | FileCheck %s
// RUN: hk-opt %s -split-input-file -tile-residency -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = memref<?x256xf16>
!a = !tile.frag<16x64xf16>
!d = !tile.frag<16x64xf32>
!b = !tile.buf<64x64xf16>

module attributes {hk.isa = "sm_80"} {
  // REMARK: [Missed] Registers | Category:tile-residency | Function=once | Remark="expects a load in a loop, but got one that happens once"
  // CHECK-LABEL: tile.kernel @once(
  // CHECK: tile.load
  tile.kernel @once(%x: !x, %w: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64} {
    %b = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
    %a = tile.load %x[%i, %i] : !x -> !a
    %d = tile.mma %a, %b[%i, %i] : !a, !b -> !d
    tile.return
  }

  // REMARK: Function=row | Remark="expects the row of the CTA plus tile.unit times 16, but got another row"
  // CHECK-LABEL: tile.kernel @row(
  // CHECK: tile.load
  tile.kernel @row(%x: !x, %w: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %u = tile.unit
    %u32 = arith.muli %u, %c32 : index
    %row = arith.addi %i, %u32 : index
    scf.for %k = %c0 to %i step %c1 {
      %b = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
      %a = tile.load %x[%row, %k] : !x -> !a
      %d = tile.mma %a, %b[%i, %i] : !a, !b -> !d
    }
    tile.return
  }

  // REMARK: Function=varying | Remark="expects a load that but for its row is the same for all units, but got what depends on tile.unit"
  // CHECK-LABEL: tile.kernel @varying(
  // CHECK: tile.load
  tile.kernel @varying(%x: !x, %w: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %b = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
    %u = tile.unit
    %u16 = arith.muli %u, %c16 : index
    %row = arith.addi %i, %u16 : index
    scf.for %k = %c0 to %u step %c1 {
      %a = tile.load %x[%row, %k] : !x -> !a
      %d = tile.mma %a, %b[%i, %i] : !a, !b -> !d
    }
    tile.return
  }

  // The values of A are wanted for more than the product.
  // CHECK-LABEL: tile.kernel @other_use(
  // CHECK: tile.load
  tile.kernel @other_use(%x: !x, %w: !tile.tiles<64x64xf16>, %i: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %u = tile.unit
    %u16 = arith.muli %u, %c16 : index
    %row = arith.addi %i, %u16 : index
    scf.for %k = %c0 to %i step %c1 {
      %b = tile.stage %w[%i] : !tile.tiles<64x64xf16> -> !b
      %a = tile.load %x[%row, %k] : !x -> !a
      tile.store %a to %x[%row, %k] : !a, !x
      %d = tile.mma %a, %b[%i, %i] : !a, !b -> !d
    }
    tile.return
  }
}

// -----

!x = memref<?x1024xf16>
!a = !tile.frag<16x256xf16>
!d = !tile.frag<16x64xf32>
!b = !tile.buf<64x256xf16>

// 2 * (32 KB + 64 KB) of 99 KB.
module attributes {hk.isa = "sm_86"} {
  // REMARK: Function=large | Remark="expects at most 101376 bytes of shared memory, but got 196608 with two slots a ring"
  // CHECK-LABEL: tile.kernel @large(
  // CHECK: tile.load
  tile.kernel @large(%x: !x, %w: !tile.tiles<64x256xf16>, %i: index) attributes {units = 8 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %u = tile.unit
    %u16 = arith.muli %u, %c16 : index
    %row = arith.addi %i, %u16 : index
    scf.for %k = %c0 to %i step %c1 {
      %b = tile.stage %w[%i] : !tile.tiles<64x256xf16> -> !b
      %a = tile.load %x[%row, %k] : !x -> !a
      %d = tile.mma %a, %b[%c0, %c0] : !a, !b -> !d
    }
    tile.return
  }
}

// -----

!x = memref<?x128xf16>
!a = !tile.frag<16x128xf16>
!d = !tile.frag<16x128xf32>
!b = !tile.buf<128x128xf16>

// What is loaded once, and multiplied in a loop after that.
module attributes {hk.isa = "sm_86"} {
  // REMARK: Function=few | Remark="expects an operand of at least 32 registers a thread, but got one of 16"
  // CHECK-LABEL: tile.kernel @few(
  // CHECK-NOT: tile.publish
  tile.kernel @few(%x: !x, %w: !tile.tiles<128x128xf16>, %i: index) attributes {units = 16 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %a = tile.load %x[%i, %c0] : !x -> !tile.frag<16x64xf16>
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k] : !tile.tiles<128x128xf16> -> !b
      %d = tile.mma %a, %b[%c0, %c0], %c : !tile.frag<16x64xf16>, !b, !d -> !d
      scf.yield %d : !d
    }
    tile.return
  }

  // REMARK: Function=enough | Remark="expects loops that need more than 255 registers a thread, but got about 128"
  // CHECK-LABEL: tile.kernel @enough(
  // CHECK-NOT: tile.publish
  tile.kernel @enough(%x: !x, %w: !tile.tiles<128x128xf16>, %i: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %a = tile.load %x[%i, %c0] : !x -> !a
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k] : !tile.tiles<128x128xf16> -> !b
      %d = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !d -> !d
      scf.yield %d : !d
    }
    tile.return
  }

  // REMARK: Function=some | Remark="expects a value that all units have, but got what depends on tile.unit"
  // CHECK-LABEL: tile.kernel @some(
  // CHECK-NOT: tile.publish
  tile.kernel @some(%x: !x, %w: !tile.tiles<128x128xf16>, %i: index) attributes {units = 16 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %b = tile.stage %w[%i] : !tile.tiles<128x128xf16> -> !b
    %u = tile.unit
    scf.for %j = %c0 to %u step %c1 {
      %a = tile.load %x[%j, %c0] : !x -> !a
      %r = scf.for %k = %c0 to %i step %c1 iter_args(%c = %z) -> (!d) {
        %d = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !d -> !d
        scf.yield %d : !d
      }
    }
    tile.return
  }

  // 2 * 32 KB, and 96 KB.
  // REMARK: Function=shared | Remark="expects at most 101376 bytes of shared memory, but got 163840 with two slots a ring"
  // CHECK-LABEL: tile.kernel @shared(
  // CHECK-NOT: tile.publish
  tile.kernel @shared(%x: !x, %w: !tile.tiles<128x128xf16>, %i: index) attributes {units = 24 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %z = tile.splat %zero : f32 -> !d
    %a = tile.load %x[%i, %c0] : !x -> !a
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%c = %z) -> (!d) {
      %b = tile.stage %w[%k] : !tile.tiles<128x128xf16> -> !b
      %d = tile.mma %a, %b[%c0, %c0], %c : !a, !b, !d -> !d
      scf.yield %d : !d
    }
    tile.return
  }
}
