// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -tile-allocate | FileCheck %s
// RUN: hk-opt %s -tile-allocate -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!b = !tile.buf<64x64xf16>
!s = !tile.buf<64x40xf16>
!a = !tile.frag<16x40xf16>

module attributes {hk.isa = "sm_90a"} {
  // Slots of 5120 bytes, at multiples of 1024; one buf in the place of another
  // that is no longer read, one beside it.
  // REMARK: [Analysis] Shared | Category:tile-allocate | Function=places | Remark="32848 bytes of shared memory, of 232448"
  // CHECK-LABEL: tile.kernel @places(
  // CHECK-SAME: shared = 32848 : i64
  tile.kernel @places(%n: index) attributes {units = 4 : i64} {
    // CHECK: tile.chan bulk {barriers = 32768 : i64, offset = 0 : i64} : <64x40xf16, 2>
    %c = tile.chan bulk : !tile.chan<64x40xf16, 2>
    // CHECK: tile.chan async {barriers = 32800 : i64, offset = 10240 : i64} : <64x16xf16, 3>
    %d = tile.chan async : !tile.chan<64x16xf16, 3>
    tile.role consumer {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      // CHECK: %[[P:.*]] = tile.alloc {offset = 16384 : i64} : <64x64xf16>
      %p = tile.alloc : !b
      scf.for %i = %c0 to %n step %c1 {
        // CHECK: tile.alloc {offset = 24576 : i64} : <64x40xf16>
        %q = tile.alloc : !s
        tile.sync
        %f = tile.fetch %q[%c0, %c0] : !s -> !a
        // CHECK: tile.alloc {offset = 24576 : i64} : <64x64xf16>
        %r = tile.alloc : !b
        tile.sync
        %g = tile.fetch %r[%c0, %c0] : !b -> !a
      }
      %h = tile.fetch %p[%c0, %c0] : !b -> !a
      // CHECK: tile.alloc {offset = 16384 : i64} : <64x64xf16>
      %t = tile.alloc : !b
      // CHECK: tile.alloc {offset = 24576 : i64} : <64x64xf16>
      %u = tile.alloc : !b
      tile.sync
      %v = tile.fetch %t[%c0, %c0] : !b -> !a
      %w = tile.fetch %u[%c0, %c0] : !b -> !a
    }
    tile.return
  }
}
