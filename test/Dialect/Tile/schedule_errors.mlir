// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @role_c1_parent() {
  // expected-error @+1 {{expects a tile.kernel around it, but got func.func}}
  tile.role producer {
  }
  return
}

// -----

tile.kernel @role_c1_twice() attributes {units = 1 : i64} {
  tile.role consumer {
  }
  // expected-error @+1 {{expects one role of each kind, but got a second consumer}}
  tile.role consumer {
  }
  tile.return
}

// -----

tile.kernel @role_c2(%x: memref<?x64xf32>, %n: index) attributes {units = 1 : i64} {
  %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !tile.frag<16x64xf32>
  tile.role consumer {
    // expected-error @+1 {{expects values from outside of its role that are arguments of the kernel, scalars or channels, but got '!tile.frag<16x64xf32>'}}
    tile.store %f to %x[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  }
  tile.return
}

// -----

tile.kernel @role_c3_producer() attributes {units = 1 : i64} {
  %w = tile.chan bulk : !tile.chan<64x64xf16, 3>
  tile.role producer {
    // expected-error @+1 {{expects a role of the other kind around it, but got a producer}}
    tile.release %w : !tile.chan<64x64xf16, 3>
  }
  tile.return
}

// -----

tile.kernel @role_c3_consumer() attributes {units = 1 : i64} {
  %w = tile.chan bulk : !tile.chan<64x64xf16, 3>
  tile.role consumer {
    // expected-error @+1 {{expects a role of the other kind around it, but got a consumer}}
    tile.commit %w : !tile.chan<64x64xf16, 3>
  }
  tile.return
}

// -----

tile.kernel @role_kind() attributes {units = 1 : i64} {
  // expected-error @+1 {{expects one of consumer, producer, but got reader}}
  tile.role reader {
  }
  tile.return
}

// -----

func.func @chan_c1() {
  // expected-error @+1 {{expects a tile.kernel around it, but got func.func}}
  %w = tile.chan bulk : !tile.chan<64x64xf16, 3>
  return
}

// -----

tile.kernel @chan_c2_slots() attributes {units = 1 : i64} {
  // expected-error @+1 {{expects slots at a multiple of 1024 bytes and barriers at one of 8, but got 512 and 0}}
  %w = tile.chan bulk {offset = 512 : i64} : !tile.chan<64x64xf16, 3>
  tile.return
}

// -----

tile.kernel @chan_c2_barriers() attributes {units = 1 : i64} {
  // expected-error @+1 {{expects slots at a multiple of 1024 bytes and barriers at one of 8, but got 0 and 4}}
  %w = tile.chan bulk {barriers = 4 : i64} : !tile.chan<64x64xf16, 3>
  tile.return
}

// -----

func.func @acquire_c1(%w: !tile.chan<64x64xf16, 3>) {
  // expected-error @+1 {{expects a buf of at most the 8192 bytes of a slot, but got '!tile.buf<64x128xf16>'}}
  %0 = tile.acquire %w : !tile.chan<64x64xf16, 3> -> !tile.buf<64x128xf16>
  return
}

// -----

func.func @wait_c1(%w: !tile.chan<64x64xf16, 3>) {
  // expected-error @+1 {{expects a buf of at most the 8192 bytes of a slot, but got '!tile.buf<64x64xf32>'}}
  %0 = tile.wait %w : !tile.chan<64x64xf16, 3> -> !tile.buf<64x64xf32>
  return
}

// -----

func.func @copy_c1(%w: !tile.chan<64x64xf16, 3>, %t: !tile.tiles<64x64xbf16>, %i: index) {
  %s = tile.acquire %w : !tile.chan<64x64xf16, 3> -> !tile.buf<64x64xf16>
  // expected-error @+1 {{expects a buf like the tiles, '!tile.buf<64x64xbf16>', but got '!tile.buf<64x64xf16>'}}
  tile.copy %t[%i] to %s : !tile.tiles<64x64xbf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @copy_c2(%s: !tile.buf<64x64xf16>, %t: !tile.tiles<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a slot that tile.acquire gives, but got another buf}}
  tile.copy %t[%i] to %s : !tile.tiles<64x64xf16> -> !tile.buf<64x64xf16>
  return
}

// -----

func.func @put_c1(%f: !tile.frag<16x64xf32>, %b: !tile.buf<64x64xf16>, %i: index) {
  // expected-error @+1 {{expects a slab of 'f16' of at most 64 rows and 64 columns, but got '!tile.frag<16x64xf32>'}}
  tile.put %f to %b[%i, %i] : !tile.frag<16x64xf32>, !tile.buf<64x64xf16>
  return
}

// -----

func.func @put_c2(%f: !tile.frag<16x64xf16>, %b: !tile.buf<64x64xf16>, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expects a row and a column of a buf that are multiples of 8, but got 4}}
  tile.put %f to %b[%c4, %i] : !tile.frag<16x64xf16>, !tile.buf<64x64xf16>
  return
}
