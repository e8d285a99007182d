// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-check-channels | FileCheck %s

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!a = !tile.frag<16x64xf16>

// Loops within loops, whose bounds the two roles compute each for themselves,
// a condition, and two channels that take turns.
// CHECK-LABEL: tile.kernel @loops(
tile.kernel @loops(%t: !t, %n: index, %m: memref<?xi32>) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !c
  %d = tile.chan bulk : !c
  tile.role producer {
    %l = memref.load %m[%n] : memref<?xi32>
    %e = arith.index_cast %l : i32 to index
    scf.for %i = %c0 to %e step %c1 {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !c
      %f = arith.addi %i, %c1 : index
      scf.for %j = %c0 to %f step %c1 {
        %r = tile.acquire %d : !c -> !b
        tile.copy %t[%j] to %r : !t -> !b
        tile.commit %d : !c
      }
    }
    %p = arith.cmpi slt, %e, %n : index
    scf.if %p {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%c0] to %s : !t -> !b
      tile.commit %c : !c
    } else {
      %s = tile.acquire %d : !c -> !b
      tile.copy %t[%c0] to %s : !t -> !b
      tile.commit %d : !c
    }
  }
  tile.role consumer {
    %l = memref.load %m[%n] : memref<?xi32>
    %e = arith.index_cast %l : i32 to index
    scf.for %i = %c0 to %e step %c1 {
      // Held around the inner loop, which takes another channel.
      %0 = tile.wait %c : !c -> !b
      %f = arith.addi %i, %c1 : index
      scf.for %j = %c0 to %f step %c1 {
        %1 = tile.wait %d : !c -> !b
        %2 = tile.fetch %1[%c0, %c0] : !b -> !a
        tile.release %d : !c
      }
      %3 = tile.fetch %0[%c0, %c0] : !b -> !a
      tile.release %c : !c
    }
    %p = arith.cmpi slt, %e, %n : index
    scf.if %p {
      %0 = tile.wait %c : !c -> !b
      tile.release %c : !c
    } else {
      %0 = tile.wait %d : !c -> !b
      tile.release %d : !c
    }
  }
  tile.return
}

// -----

// More loops than there are combinations to try: those are tried that differ
// in one.
!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
// CHECK-LABEL: tile.kernel @many(
tile.kernel @many(%t: !t, %n0: index, %n1: index, %n2: index, %n3: index, %n4: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    scf.for %0 = %c0 to %n0 step %c1 {
      scf.for %1 = %c0 to %n1 step %c1 {
        %s = tile.acquire %c : !c -> !b
        tile.commit %c : !c
      }
      scf.for %1 = %c0 to %n2 step %c1 {
        %s = tile.acquire %c : !c -> !b
        tile.commit %c : !c
      }
      scf.for %1 = %c0 to %n3 step %c1 {
        %s = tile.acquire %c : !c -> !b
        tile.commit %c : !c
      }
      scf.for %1 = %c0 to %n4 step %c1 {
        %s = tile.acquire %c : !c -> !b
        tile.commit %c : !c
      }
    }
  }
  tile.role consumer {
    scf.for %0 = %c0 to %n0 step %c1 {
      scf.for %1 = %c0 to %n1 step %c1 {
        %s = tile.wait %c : !c -> !b
        tile.release %c : !c
      }
      scf.for %1 = %c0 to %n2 step %c1 {
        %s = tile.wait %c : !c -> !b
        tile.release %c : !c
      }
      scf.for %1 = %c0 to %n3 step %c1 {
        %s = tile.wait %c : !c -> !b
        tile.release %c : !c
      }
      scf.for %1 = %c0 to %n4 step %c1 {
        %s = tile.wait %c : !c -> !b
        tile.release %c : !c
      }
    }
  }
  tile.return
}
