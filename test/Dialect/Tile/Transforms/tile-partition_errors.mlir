// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-partition -verify-diagnostics

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!w = !tile.tiles<64x64xf16>

tile.kernel @unit(%t: !w, %n: index) attributes {units = 4 : i64} {
  %c = tile.chan bulk : !c
  // expected-note @+1 {{here}}
  %u = tile.unit
  %s = tile.acquire %c : !c -> !b
  // expected-error @+1 {{expects bounds, conditions and indices that are the same for all units, but got what depends on tile.unit}}
  tile.copy %t[%u] to %s : !w -> !b
  tile.commit %c : !c
  %b = tile.wait %c : !c -> !b
  tile.release %c : !c
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!w = !tile.tiles<64x64xf16>

tile.kernel @region(%t: !w, %n: index) attributes {units = 4 : i64} {
  %c = tile.chan bulk : !c
  scf.execute_region {
    // expected-error @+1 {{expects scf.for and scf.if around it, but got scf.execute_region}}
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%n] to %s : !w -> !b
    tile.commit %c : !c
    scf.yield
  }
  %b = tile.wait %c : !c -> !b
  tile.release %c : !c
  tile.return
}
