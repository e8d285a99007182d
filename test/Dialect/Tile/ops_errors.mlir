// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @load_c1(%m: memref<?x64xf32>, %i: index) {
  // expected-error @+1 {{expects 2 indices of 'memref<?x64xf32>', but got 1}}
  %0 = tile.load %m[%i] : memref<?x64xf32> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @load_c2(%m: memref<?x64xf32>, %i: index) {
  // expected-error @+1 {{expects elements of 'f32', but got '!tile.frag<16x64xf16>'}}
  %0 = tile.load %m[%i, %i] : memref<?x64xf32> -> !tile.frag<16x64xf16>
  return
}

// -----

func.func @load_c3_vector(%m: memref<64xf32>, %i: index) {
  // expected-error @+1 {{expects a frag of one row or one column of a vector, and not one column of a matrix, but got '!tile.frag<16x64xf32>' of 'memref<64xf32>'}}
  %0 = tile.load %m[%i] : memref<64xf32> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @load_c3_matrix(%m: memref<?x64xf32>, %i: index) {
  // expected-error @+1 {{expects a frag of one row or one column of a vector, and not one column of a matrix, but got '!tile.frag<16x1xf32>' of 'memref<?x64xf32>'}}
  %0 = tile.load %m[%i, %i] : memref<?x64xf32> -> !tile.frag<16x1xf32>
  return
}

// -----

func.func @load_c4(%m: memref<?x64xf32>, %i: index) {
  // expected-error @+1 {{expects columns of 1 to 64, but got 65}}
  %0 = tile.load %m[%i, %i] columns(65) : memref<?x64xf32> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @store_c1(%m: memref<?x64xf32>, %f: !tile.frag<16x64xf16>, %i: index) {
  // expected-error @+1 {{expects elements of 'f16', but got 'memref<?x64xf32>'}}
  tile.store %f to %m[%i, %i] : !tile.frag<16x64xf16>, memref<?x64xf32>
  return
}

// -----

func.func @store_c2(%m: memref<?x64xf32>, %f: !tile.frag<16x64xf32>, %i: index) {
  // expected-error @+1 {{expects columns of 1 to 64, but got 0}}
  tile.store %f to %m[%i, %i] columns(0) : !tile.frag<16x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @stage_c1_tiles(%t: !tile.tiles<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects 1 indices of '!tile.tiles<64x64xf16>', but got 2}}
  %0 = tile.stage %t[%i, %i] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c1_vector(%v: memref<64xf16>, %i: index) {
  // expected-error @+1 {{expects packed weights or a matrix, but got 'memref<64xf16>'}}
  %0 = tile.stage %v[%i] : memref<64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c2_tiles(%t: !tile.tiles<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a buf like the tiles, '!tile.buf<64x64xf16>', but got '!tile.buf<64x128xf16>'}}
  %0 = tile.stage %t[%i] : !tile.tiles<64x64xf16> -> !tile.buf<64x128xf16>
  return
}

// -----

func.func @stage_c2_matrix(%m: memref<?x64xf32>, %i: index) {
  // expected-error @+1 {{expects elements of 'f32', but got '!tile.buf<64x64xf16>'}}
  %0 = tile.stage %m[%i, %i] : memref<?x64xf32> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c3_rows(%t: !tile.tiles<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects rows, columns and padded with a matrix only, but got '!tile.tiles<64x64xf16>'}}
  %0 = tile.stage %t[%i] rows(%i) : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c3_padded(%t: !tile.tiles<64x64xf16>, %i: index) {
  // expected-error@+1 {{expects rows, columns and padded with a matrix only, but got '!tile.tiles<64x64xf16>'}}
  %0 = tile.stage %t[%i] padded [20, 32] : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c4_rows(%m: memref<?x64xf16>, %i: index) {
  // expected-error@+1 {{expects padded of two numbers of rows, of which the first is positive and at most the second, and that divides 64 rows, but got array<i64: 33, 32>}}
  %0 = tile.stage %m[%i, %i] padded [33, 32] : memref<?x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c4_divides(%m: memref<?x64xf16>, %i: index) {
  // expected-error@+1 {{that divides 64 rows, but got array<i64: 20, 24>}}
  %0 = tile.stage %m[%i, %i] padded [20, 24] : memref<?x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @stage_c3_columns(%m: memref<?x64xf16>, %i: index) {
  // expected-error @+1 {{expects columns of 1 to 64, but got 100}}
  %0 = tile.stage %m[%i, %i] columns(100) : memref<?x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @publish_c1_elements(%f: !tile.frag<16x64xf32>, %i: index) {
  // expected-error @+1 {{expects a slab of 'f16' of at most 64 rows and 64 columns, but got '!tile.frag<16x64xf32>'}}
  %0 = tile.publish %f at(%i, %i) : !tile.frag<16x64xf32> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @publish_c1_size(%f: !tile.frag<16x128xf16>, %i: index) {
  // expected-error @+1 {{expects a slab of 'f16' of at most 64 rows and 64 columns, but got '!tile.frag<16x128xf16>'}}
  %0 = tile.publish %f at(%i, %i) : !tile.frag<16x128xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @fetch_c1_line(%b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a slab of 'f16' of at most 64 rows and 64 columns, but got '!tile.frag<16x64xf16, line>'}}
  %0 = tile.fetch %b[%i, %i] : !tile.buf<64x64xf16> -> !tile.frag<16x64xf16, line>
  return
}

// -----

func.func @splat_c1(%v: f16) {
  // expected-error @+1 {{expects elements of 'f32', but got 'f16'}}
  %0 = tile.splat %v : f16 -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c1_line(%a: !tile.frag<16x64xf16, line>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects A to be a slab of f16, bf16 or f32, but got '!tile.frag<16x64xf16, line>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xf16, line>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c1_result(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a result of type '!tile.frag<16x64xf32>', but got '!tile.frag<32x64xf32>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !tile.frag<32x64xf32>
  return
}

// -----

func.func @mma_c1_c(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %c: !tile.frag<16x64xf16>, %i: index) {
  // expected-error @+1 {{expects C of type '!tile.frag<16x64xf32>', but got '!tile.frag<16x64xf16>'}}
  %0 = tile.mma %a, %b[%i, %i], %c : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>, !tile.frag<16x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c2_type(%a: !tile.frag<16x64xi8>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects A to be a slab of f16, bf16 or f32, but got '!tile.frag<16x64xi8>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xi8>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c2_b(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xbf16>, %i: index) {
  // expected-error @+1 {{expects elements of 'f16', but got '!tile.buf<64x64xbf16>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xf16>, !tile.buf<64x64xbf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c3_multiple(%a: !tile.frag<16x1xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects K to be a multiple of 8, but got 1}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x1xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c3_n(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects N within the 64 of B, but got 128 from 0 on}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x128xf32>
  return
}

// -----

func.func @mma_c3_k(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{expects K within the 64 of B, but got 64 from 8 on}}
  %0 = tile.mma %a, %b[%c0, %c8] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c3_transposed(%a: !tile.frag<16x64xf16>, %b: !tile.buf<32x64xf16>, %i: index) {
  // expected-error @+1 {{expects K within the 32 of B, but got 64 from 0 on}}
  %0 = tile.mma %a, %b[%i, %i] {transpose_b} : !tile.frag<16x64xf16>, !tile.buf<32x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c4(%a: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects f32 with split, but got 'f16'}}
  %0 = tile.mma %a, %b[%i, %i] {split} : !tile.frag<16x64xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @map_c1_layout(%x: !tile.frag<16x64xf32, line>) {
  // expected-error @+1 {{expects operands of the layout of '!tile.frag<16x64xf32>' and of its sizes or 1, but got '!tile.frag<16x64xf32, line>'}}
  %0 = tile.map %x : !tile.frag<16x64xf32, line> -> !tile.frag<16x64xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_c1_size(%x: !tile.frag<16x32xf32>) {
  // expected-error @+1 {{expects operands of the layout of '!tile.frag<16x64xf32>' and of its sizes or 1, but got '!tile.frag<16x32xf32>'}}
  %0 = tile.map %x : !tile.frag<16x32xf32> -> !tile.frag<16x64xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_c2_arguments(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects a region of 1 arguments, but got 2}}
  %0 = tile.map %x : !tile.frag<16x64xf32> -> !tile.frag<16x64xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_c2_argument(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects an argument of 'f32', but got 'f16'}}
  %0 = tile.map %x : !tile.frag<16x64xf32> -> !tile.frag<16x64xf16> {
  ^bb0(%a: f16):
    tile.yield %a : f16
  }
  return
}

// -----

func.func @map_c2_result(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects the region to yield 'f16', but got 'f32'}}
  %0 = tile.map %x : !tile.frag<16x64xf32> -> !tile.frag<16x64xf16> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @map_c2_terminator(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects the region to yield 'f32', but got ub.unreachable}}
  %0 = tile.map %x : !tile.frag<16x64xf32> -> !tile.frag<16x64xf32> {
  ^bb0(%a: f32):
    ub.unreachable
  }
  return
}

// -----

func.func @row_reduce_c1_elements(%x: !tile.frag<16x64xf16>) {
  // expected-error @+1 {{expects f32 and a result of one column like the input, but got '!tile.frag<16x64xf16>' and '!tile.frag<16x1xf16>'}}
  %0 = tile.row_reduce add %x : !tile.frag<16x64xf16> -> !tile.frag<16x1xf16>
  return
}

// -----

func.func @row_reduce_c1_result(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects f32 and a result of one column like the input, but got '!tile.frag<16x64xf32>' and '!tile.frag<32x1xf32>'}}
  %0 = tile.row_reduce add %x : !tile.frag<16x64xf32> -> !tile.frag<32x1xf32>
  return
}

// -----

func.func @mask_c1(%x: !tile.frag<16x64xf16>, %i: index) {
  // expected-error @+1 {{expects scores that are a slab of f32, but got '!tile.frag<16x64xf16>'}}
  %0 = tile.mask %x at(%i, %i) {causal} : !tile.frag<16x64xf16>
  return
}

// -----

func.func @mask_c2(%x: !tile.frag<16x64xf32>, %s: !tile.frag<1x32xi8>, %i: index) {
  // expected-error @+1 {{expects seen of type '!tile.frag<1x64xi8>', but got '!tile.frag<1x32xi8>'}}
  %0 = tile.mask %x at(%i, %i) seen(%s : !tile.frag<1x32xi8>) : !tile.frag<16x64xf32>
  return
}

// -----

func.func @mask_c3(%x: !tile.frag<16x64xf32>, %i: index) {
  // expected-error @+1 {{expects causal, keys or seen, but got none}}
  %0 = tile.mask %x at(%i, %i) : !tile.frag<16x64xf32>
  return
}

// -----

func.func @row_index_c1(%i: index) {
  // expected-error @+1 {{expects a result of one column of i32, but got '!tile.frag<16x8xi32>'}}
  %0 = tile.row_index %i : !tile.frag<16x8xi32>
  return
}

// -----

func.func @vote_c1(%x: !tile.frag<16x8xf32>) {
  // expected-error @+1 {{expects a frag of i1, but got '!tile.frag<16x8xf32>'}}
  %0 = tile.vote any %x : !tile.frag<16x8xf32>
  return
}

// -----

func.func @vote_kind(%x: !tile.frag<16x1xi1>) {
  // expected-error @+1 {{expects one of any, all, but got none}}
  %0 = tile.vote none %x : !tile.frag<16x1xi1>
  return
}

// -----

func.func @slice_c1(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects a result like '!tile.frag<16x64xf32>' but for its columns, but got '!tile.frag<32x32xf32>'}}
  %0 = tile.slice %x[0] : !tile.frag<16x64xf32> -> !tile.frag<32x32xf32>
  return
}

// -----

func.func @slice_c2_column(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects a slab and a column that is a multiple of 8, or a strip and one of its width, but got '!tile.frag<16x64xf32>' and 4}}
  %0 = tile.slice %x[4] : !tile.frag<16x64xf32> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @slice_c2_line(%x: !tile.frag<16x64xf32, line>) {
  // expected-error @+1 {{expects a slab and a column that is a multiple of 8, or a strip and one of its width, but got '!tile.frag<16x64xf32, line>' and 8}}
  %0 = tile.slice %x[8] : !tile.frag<16x64xf32, line> -> !tile.frag<16x32xf32, line>
  return
}

// -----

func.func @slice_c2_strip(%x: !tile.frag<16x64xf32, strip32>) {
  // expected-error @+1 {{or a strip and one of its width, but got '!tile.frag<16x64xf32, strip32>' and 16}}
  %0 = tile.slice %x[16] : !tile.frag<16x64xf32, strip32> -> !tile.frag<16x32xf32, strip32>
  return
}

// -----

func.func @mma_c7_a(%a: !tile.frag<16x32xf16>, %b: !tile.buf<32x32xf16, strip_columns = 32>, %i: index) {
  // expected-error @+1 {{expects A in strips of 32, as B is '!tile.buf<32x32xf16, strip_columns = 32>', but got '!tile.frag<16x32xf16>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x32xf16>, !tile.buf<32x32xf16, strip_columns = 32> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @mma_c7_result(%a: !tile.frag<16x32xf16>, %b: !tile.buf<32x32xf16>, %i: index) {
  // expected-error @+1 {{expects the result in strips of 8, as B is '!tile.buf<32x32xf16>', but got '!tile.frag<16x32xf32, strip16>'}}
  %0 = tile.mma %a, %b[%i, %i] : !tile.frag<16x32xf16>, !tile.buf<32x32xf16> -> !tile.frag<16x32xf32, strip16>
  return
}

// -----

func.func @mma_c7_transposed(%a: !tile.frag<16x32xf16, strip16>, %b: !tile.buf<32x32xf16, strip_rows = 16, strip_columns = 32>, %i: index) {
  // expected-error @+1 {{expects the result in strips of 32, as B is '!tile.buf<32x32xf16, strip_rows = 16, strip_columns = 32>', but got '!tile.frag<16x32xf32>'}}
  %0 = tile.mma %a, %b[%i, %i] {transpose_b} : !tile.frag<16x32xf16, strip16>, !tile.buf<32x32xf16, strip_rows = 16, strip_columns = 32> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @mma_c7_place(%a: !tile.frag<16x16xf16, strip16>, %b: !tile.buf<32x32xf16, strip_columns = 16>, %i: index) {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{expects a multiple of 16 in the order of strips, but got 8}}
  %0 = tile.mma %a, %b[%i, %c8] : !tile.frag<16x16xf16, strip16>, !tile.buf<32x32xf16, strip_columns = 16> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @fetch_c1_strip(%b: !tile.buf<32x32xf16>, %i: index) {
  // expected-error @+1 {{expects a slab of 'f16' of at most 32 rows and 32 columns, but got '!tile.frag<16x32xf16, strip16>'}}
  %0 = tile.fetch %b[%i, %i] : !tile.buf<32x32xf16> -> !tile.frag<16x32xf16, strip16>
  return
}

// -----

func.func @map_c1_strip(%x: !tile.frag<16x32xf32>, %r: !tile.frag<16x1xf32>) {
  // expected-error @+1 {{expects operands of the layout of '!tile.frag<16x32xf32, strip16>' and of its sizes or 1, but got '!tile.frag<16x32xf32>'}}
  %0 = tile.map %r, %x : !tile.frag<16x1xf32>, !tile.frag<16x32xf32> -> !tile.frag<16x32xf32, strip16> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @mask_c1_strip(%x: !tile.frag<16x32xf32, strip16>, %i: index) {
  // expected-error @+1 {{expects scores that are a slab of f32, but got '!tile.frag<16x32xf32, strip16>'}}
  %0 = tile.mask %x at(%i, %i) {causal} : !tile.frag<16x32xf32, strip16>
  return
}

// -----

func.func @slice_c3(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects columns within the 64 of the input, but got 32 from 40 on}}
  %0 = tile.slice %x[40] : !tile.frag<16x64xf32> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @concat_c1_elements(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects inputs like '!tile.frag<16x128xf16>' but for their columns, but got '!tile.frag<16x64xf32>'}}
  %0 = tile.concat %x, %x : !tile.frag<16x64xf32>, !tile.frag<16x64xf32> -> !tile.frag<16x128xf16>
  return
}

// -----

func.func @concat_c1_sum(%x: !tile.frag<16x64xf32>) {
  // expected-error @+1 {{expects inputs of 256 columns, but got 128}}
  %0 = tile.concat %x, %x : !tile.frag<16x64xf32>, !tile.frag<16x64xf32> -> !tile.frag<16x256xf32>
  return
}

// -----

func.func @concat_c2(%x: !tile.frag<16x64xf32, line>) {
  // expected-error @+1 {{expects slabs, but got '!tile.frag<16x128xf32, line>'}}
  %0 = tile.concat %x, %x : !tile.frag<16x64xf32, line>, !tile.frag<16x64xf32, line> -> !tile.frag<16x128xf32, line>
  return
}

// -----

func.func @publish_c2(%f: !tile.frag<16x64xf16>, %i: index) {
  %c12 = arith.constant 12 : index
  // expected-error @+1 {{expects a row and a column of a buf that are multiples of 8, but got 12}}
  %0 = tile.publish %f at(%c12, %i) : !tile.frag<16x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @fetch_c2(%b: !tile.buf<64x64xf16>, %i: index) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{expects a row and a column of a buf that are multiples of 8, but got 2}}
  %0 = tile.fetch %b[%i, %c2] : !tile.buf<64x64xf16> -> !tile.frag<16x32xf16>
  return
}

// -----

func.func @mma_c5(%a: !tile.frag<16x32xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expects a row and a column of a buf that are multiples of 8, but got 4}}
  %0 = tile.mma %a, %b[%i, %c4] : !tile.frag<16x32xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x32xf32>
  return
}

// -----

func.func @mma_c6_type(%a: !tile.frag<16x64xf32>, %b: !tile.buf<64x64xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects operands of f16 or bf16 of a warpgroup, but got f32}}
  %0 = tile.mma %a, %b[%i, %c0] {warpgroup} : !tile.frag<16x64xf32>, !tile.buf<64x64xf32> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c6_k(%a: !tile.frag<16x8xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects K of a multiple of 16 for a warpgroup, but got 8}}
  %0 = tile.mma %a, %b[%i, %c0] {warpgroup} : !tile.frag<16x8xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c6_k_transposed(%a: !tile.frag<16x40xbf16>, %b: !tile.buf<64x64xbf16>, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects K of a multiple of 16 for a warpgroup, but got 40}}
  %0 = tile.mma %a, %b[%i, %c0] {transpose_b, warpgroup} : !tile.frag<16x40xbf16>, !tile.buf<64x64xbf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c6_dynamic(%a: !tile.frag<16x32xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a constant column for a warpgroup, but got one that is not}}
  %0 = tile.mma %a, %b[%i, %i] {warpgroup} : !tile.frag<16x32xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c6_column(%a: !tile.frag<16x16xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  %c24 = arith.constant 24 : index
  // expected-error @+1 {{expects a column of a multiple of 16 for a warpgroup, but got 24}}
  %0 = tile.mma %a, %b[%i, %c24] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

func.func @mma_c6_block(%a: !tile.frag<16x16xf16>, %b: !tile.buf<64x128xf16>, %i: index) {
  %c16 = arith.constant 16 : index
  // expected-error @+1 {{expects N within a block of 64 columns, or from its beginning on, for a warpgroup, but got 64 from 16 on}}
  %0 = tile.mma %a, %b[%i, %c16] {transpose_b, warpgroup} : !tile.frag<16x16xf16>, !tile.buf<64x128xf16> -> !tile.frag<16x64xf32>
  return
}

// -----

tile.kernel @mma_c6_units(%x: memref<?x16xf16>, %n: index) attributes {units = 6 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : !tile.buf<64x64xf16>
  %a = tile.load %x[%n, %c0] : memref<?x16xf16> -> !tile.frag<16x16xf16>
  // expected-error @+1 {{expects a multiple of 4 units for a warpgroup, but got 6}}
  %0 = tile.mma %a, %b[%c0, %c0] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<64x64xf16> -> !tile.frag<16x64xf32>
  tile.return
}

// -----

// What is allowed: a column of 8 where nothing is swizzled, and columns within a
// block.
func.func @mma_c6_allowed(%a: !tile.frag<16x16xf16>, %b: !tile.buf<64x40xf16>, %w: !tile.buf<64x128xf16>, %i: index) {
  %c8 = arith.constant 8 : index
  %c72 = arith.constant 72 : index
  %0 = tile.mma %a, %b[%i, %c8] {warpgroup} : !tile.frag<16x16xf16>, !tile.buf<64x40xf16> -> !tile.frag<16x64xf32>
  %1 = tile.mma %a, %w[%i, %c72] {transpose_b, warpgroup} : !tile.frag<16x16xf16>, !tile.buf<64x128xf16> -> !tile.frag<16x56xf32>
  return
}
