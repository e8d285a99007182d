// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -verify-diagnostics -tile-allocate

module attributes {hk.isa = "sm_86"} {
  // expected-error @+1 {{expects at most 101376 bytes of shared memory (sm_86), but got 131136}}
  tile.kernel @large() attributes {units = 4 : i64} {
    %c = tile.chan async : !tile.chan<128x128xf16, 4>
    tile.return
  }
}
