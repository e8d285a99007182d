// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects elements of f32, f16, bf16, i1, i8 or i32, but got 'f64'}}
func.func private @frag_c1(!tile.frag<16x64xf64>)

// -----

// expected-error @+1 {{expects rows of 1 or a multiple of 16 and columns of 1 or a multiple of 8, but got 8 and 64}}
func.func private @frag_c2_rows(!tile.frag<8x64xf32>)

// -----

// expected-error @+1 {{expects rows of 1 or a multiple of 16 and columns of 1 or a multiple of 8, but got 16 and 4}}
func.func private @frag_c2_columns(!tile.frag<16x4xf32>)

// -----

// expected-error @+1 {{expects rows of 1 or a multiple of 16 and columns of a multiple of 32 in a strip, but got 16 and 48}}
func.func private @frag_c2_strip_columns(!tile.frag<16x48xf32, strip32>)

// -----

// expected-error @+1 {{expects rows of 1 or a multiple of 16 and columns of a multiple of 16 in a strip, but got 8 and 48}}
func.func private @frag_c2_strip_rows(!tile.frag<8x48xf32, strip16>)

// -----

// expected-error @+1 {{expects positive sizes, but got 0 and 64}}
func.func private @frag_c3(!tile.frag<0x64xf32, line>)

// -----

// expected-error @+1 {{expects rows and columns, but got 3 sizes}}
func.func private @frag_sizes(!tile.frag<16x8x8xf32>)

// -----

// expected-error @+1 {{expects elements of f16, bf16 or f32, but got 'i8'}}
func.func private @buf_c1(!tile.buf<64x64xi8>)

// -----

// expected-error @+1 {{expects rows and columns that are positive multiples of 8, but got 64 and 12}}
func.func private @buf_c2(!tile.buf<64x12xf16>)

// -----

// expected-error @+1 {{expects strips of 8, 16 or 32 that divide rows and columns, but got strips of 32 of 48 rows and of 8 of 64 columns}}
func.func private @buf_c3_rows(!tile.buf<48x64xf16, strip_rows = 32>)

// -----

// expected-error @+1 {{expects strips of 8, 16 or 32 that divide rows and columns, but got strips of 8 of 64 rows and of 64 of 64 columns}}
func.func private @buf_c3_width(!tile.buf<64x64xf16, strip_columns = 64>)

// -----

// expected-error @+1 {{expects strip_rows = W, strip_columns = W or both in this order}}
func.func private @buf_strips(!tile.buf<64x64xf16, strip_columns = 16, strip_rows = 16>)

// -----

// expected-error @+1 {{expects elements of f16, bf16 or f32, but got 'i32'}}
func.func private @tiles_c1(!tile.tiles<64x64xi32>)

// -----

// expected-error @+1 {{expects at least one slot, but got 0}}
func.func private @chan_c1(!tile.chan<64x64xf16, 0>)
