// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects arguments that are memrefs of rank 1 or 2, !tile.tiles or index, but got 'memref<?x2x64xf32>'}}
tile.kernel @kernel_c1_rank(%x: memref<?x2x64xf32>) attributes {units = 4 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{expects arguments that are memrefs of rank 1 or 2, !tile.tiles or index, but got 'f32'}}
tile.kernel @kernel_c1_scalar(%x: f32) attributes {units = 4 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{expects no result, but got 1}}
tile.kernel @kernel_c2() -> index attributes {units = 4 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{expects units of one warp or more and at most 1024 threads, but got 0 units and 0 threads}}
tile.kernel @kernel_c3_none() attributes {units = 0 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{expects units of one warp or more and at most 1024 threads, but got 31 units and 1056 threads}}
tile.kernel @kernel_c3_threads() attributes {producers = 2 : i64, units = 31 : i64} {
  tile.return
}

// -----

// expected-error @+1 {{expects tile.constant on memrefs only, but got it on '!tile.tiles<64x64xf16>'}}
tile.kernel @kernel_c4_tiles(%w: !tile.tiles<64x64xf16> {tile.constant}) attributes {units = 1 : i64} {
  tile.return
}

// -----

tile.kernel @kernel_c4_store(%y: memref<?x64xf32> {tile.constant}, %n: index) attributes {units = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
  // expected-error @+1 {{expects a target without tile.constant, but got one with it}}
  tile.store %f to %y[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  tile.return
}
