// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -verify-diagnostics -tile-block

// expected-error @+1 {{expects blocks of a multiple of 8 columns, but got 12}}
tile.kernel @width() attributes {units = 4 : i64, hk.block = 12 : i64} {
  tile.return
}
