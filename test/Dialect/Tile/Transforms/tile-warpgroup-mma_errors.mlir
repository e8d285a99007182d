// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics -tile-warpgroup-mma

module attributes {hk.isa = "sm_120"} {
  // expected-error @+1 {{expects sm_90a for hk.mma = "wgmma", but got sm_120}}
  tile.kernel @arch(%end: index) attributes {units = 4 : i64, hk.mma = "wgmma"} {
    tile.return
  }
}
