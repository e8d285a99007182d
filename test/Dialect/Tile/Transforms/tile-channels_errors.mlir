// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-channels -verify-diagnostics

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

// expected-error @+1 {{expects a module with hk.isa = "sm_80", "sm_86", "sm_89", "sm_90a" or "sm_120" around it, but got none}}
tile.kernel @no_arch(%t: !w, %n: index) attributes {units = 4 : i64} {
  %0 = tile.stage %t[%n] : !w -> !b
  %f = tile.fetch %0[%n, %n] : !b -> !a
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

module attributes {hk.isa = "sm_70"} {
  // expected-error @+1 {{around it, but got "sm_70"}}
  tile.kernel @other_arch(%t: !w, %n: index) attributes {units = 4 : i64} {
    %0 = tile.stage %t[%n] : !w -> !b
    %f = tile.fetch %0[%n, %n] : !b -> !a
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @index_of_unit(%t: !w, %n: index) attributes {units = 4 : i64} {
    // expected-note @+1 {{here}}
    %u = tile.unit
    %i = arith.addi %u, %n : index
    // expected-error @+1 {{expects bounds, conditions and indices that are the same for all units, but got what depends on tile.unit}}
    %0 = tile.stage %t[%i] : !w -> !b
    %f = tile.fetch %0[%n, %n] : !b -> !a
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @condition_of_data(%t: !w, %p: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
    %z = arith.constant false
    %s = tile.splat %z : i1 -> !tile.frag<16x1xi1>
    // expected-note @+1 {{here}}
    %v = tile.vote any %s : !tile.frag<16x1xi1>
    scf.if %v {
      // expected-error @+1 {{expects bounds, conditions and indices that are the same for all units, but got what depends on tile.vote}}
      %0 = tile.stage %t[%n] : !w -> !b
      %f = tile.fetch %0[%n, %n] : !b -> !a
    }
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @publish_of_some(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{here}}
    %u = tile.unit
    %h = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    scf.for %i = %c0 to %u step %c1 {
      // expected-error @+1 {{expects bounds, conditions and indices that are the same for all units, but got what depends on tile.unit}}
      %p = tile.publish %h at(%n, %c0) : !a -> !b
      %f = tile.fetch %p[%n, %n] : !b -> !a
    }
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @put_behind_use(%x: memref<?x64xf16>, %n: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %h = tile.load %x[%n, %c0] : memref<?x64xf16> -> !a
    // expected-error @+1 {{expects all puts before the first other use, but got one behind scf.for}}
    %p = tile.empty : !b
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @+1 {{here}}
      tile.put %h to %p[%n, %c0] : !a, !b
      %f = tile.fetch %p[%n, %c0] : !b -> !a
    }
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @carried(%t: !w, %n: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expects a buf that is used by operations of its block or inside them, but got a use by scf.for}}
    %0 = tile.stage %t[%n] : !w -> !b
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%c = %0) -> (!b) {
      %f = tile.fetch %c[%n, %n] : !b -> !a
      scf.yield %c : !b
    }
    tile.return
  }
}

// -----

!b = !tile.buf<64x64xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<64x64xf16>

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @span(%t: !w, %n: index) attributes {units = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{expects its last use before an operation that stages chunks of the same stream inside, but got a later one}}
    %0 = tile.stage %t[%n] {tile.stream = 0 : i64} : !w -> !b
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @+1 {{a chunk inside}}
      %1 = tile.stage %t[%i] {tile.stream = 0 : i64} : !w -> !b
      %f = tile.fetch %1[%n, %n] : !b -> !a
    }
    %g = tile.fetch %0[%n, %n] : !b -> !a
    tile.return
  }
}

// -----

!b = !tile.buf<256x256xf16>
!a = !tile.frag<16x64xf16>
!w = !tile.tiles<256x256xf16>

module attributes {hk.isa = "sm_89"} {
  // expected-error @+1 {{expects slots and bufs of at most 101376 bytes of shared memory (sm_89), but got 131088 with no slot to spare}}
  tile.kernel @large(%t: !w, %n: index) attributes {units = 4 : i64} {
    %0 = tile.stage %t[%n] : !w -> !b
    %f = tile.fetch %0[%n, %n] : !b -> !a
    tile.return
  }
}
