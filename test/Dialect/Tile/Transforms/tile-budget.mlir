// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-budget -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!a = !tile.frag<16x64xf16>
!f = !tile.frag<16x64xf32>
!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

module attributes {hk.isa = "sm_90a"} {
  // A: 16 registers of two f16; accumulator: 32. The accumulator is taken over.
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=roles | Remark="producer: about 22 registers a thread of 255, the most at tile.acquire"
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=roles | Remark="consumer: about 80 registers a thread of 255, the most at tile.mma"
  tile.kernel @roles(%t: !tile.tiles<64x64xf16>, %n: index) attributes {units = 4 : i64, producers = 1 : i64} {
    %c = tile.chan bulk : !c
    tile.role producer {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%n] to %s : !tile.tiles<64x64xf16> -> !b
      tile.commit %c : !c
    }
    tile.role consumer {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1.0 : f16
      %a = tile.splat %one : f16 -> !a
      %zero = arith.constant 0.0 : f32
      %z = tile.splat %zero : f32 -> !f
      %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!f) {
        %b = tile.wait %c : !c -> !b
        %e = tile.mma %a, %b[%c0, %c0], %acc : !a, !b, !f -> !f
        tile.release %c : !c
        scf.yield %e : !f
      }
      %s = tile.row_reduce add %d : !f -> !tile.frag<16x1xf32>
    }
    tile.return
  }

  // Registers that are cut out for two CTAs on an SM: those of a consumer.
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=shared_out | Remark="consumer: about {{[0-9]+}} registers a thread of 224, the most at
  tile.kernel @shared_out(%x: memref<?x64xf32>, %n: index) attributes {units = 4 : i64, producers = 4 : i64, hk.ctas = 2 : i64} {
    tile.role consumer {
      %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !f
      tile.store %f to %x[%n, %n] : !f, memref<?x64xf32>
    }
    tile.return
  }

  // 1024 threads have 64 registers each.
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=spills | Remark="kernel: about 147 registers a thread of 64, the most at tile.load"
  // CHECK: [Missed] Spills | Category:tile-budget | Function=spills | Remark="expects at most 64 registers a thread, but got about 147"
  tile.kernel @spills(%x: memref<?x512xf32>, %n: index) attributes {units = 32 : i64} {
    %f = tile.load %x[%n, %n] : memref<?x512xf32> -> !tile.frag<8x512xf32, line>
    tile.store %f to %x[%n, %n] : !tile.frag<8x512xf32, line>, memref<?x512xf32>
    tile.return
  }

  // A branch takes the place of what it is the last to use: one accumulator.
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=branch | Remark="kernel: about 52 registers a thread of 255, the most at arith.cmpi"
  tile.kernel @branch(%x: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
    %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !f
    %p = arith.cmpi eq, %n, %n : index
    %g = scf.if %p -> (!f) {
      %h = tile.map %f : !f -> !f {
      ^bb0(%e: f32):
        %s = arith.addf %e, %e : f32
        tile.yield %s : f32
      }
      scf.yield %h : !f
    } else {
      scf.yield %f : !f
    }
    tile.store %g to %x[%n, %n] : !f, memref<?x64xf32>
    tile.return
  }

  // A slice has the registers of what it is of: 32, and 16 of the sum. (What an
  // operation is the last to use makes room for its result.)
  // CHECK: [Analysis] Registers | Category:tile-budget | Function=slices | Remark="kernel: about 67 registers a thread of 255, the most at tile.map"
  tile.kernel @slices(%x: memref<?x64xf32>, %n: index) attributes {units = 4 : i64} {
    %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !f
    %l = tile.slice %f[0] : !f -> !tile.frag<16x32xf32>
    %r = tile.slice %f[32] : !f -> !tile.frag<16x32xf32>
    %g = tile.map %l, %r : !tile.frag<16x32xf32>, !tile.frag<16x32xf32> -> !tile.frag<16x32xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    tile.store %g to %x[%n, %n] : !tile.frag<16x32xf32>, memref<?x64xf32>
    tile.store %f to %x[%n, %n] : !f, memref<?x64xf32>
    tile.return
  }
}
