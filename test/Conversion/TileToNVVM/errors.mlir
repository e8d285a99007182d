// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --verify-diagnostics --tile-to-nvvm

// expected-error@+1 {{expects the name of a GPU, sm_80 or later, in hk.isa of a module of tile kernels, but got "x86-64-v3"}}
module attributes {hk.isa = "x86-64-v3"} {
  tile.kernel @cpu(%b: index) attributes {units = 1 : i64} {
    tile.return
  }
}

// -----

// expected-error@+1 {{expects the name of a GPU, sm_80 or later, in hk.isa of a module of tile kernels, but got "sm_75"}}
module attributes {hk.isa = "sm_75"} {
  tile.kernel @old(%b: index) attributes {units = 1 : i64} {
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_80"} {
  // expected-error@+1 {{expects memrefs of a static number of columns, row-major and of elements of a byte or more, but got 'memref<?x?xf32>'}}
  tile.kernel @dynamic(%x: memref<?x?xf32>) attributes {units = 1 : i64} {
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_80"} {
  tile.kernel @rows(%x: memref<?x16xf32>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects line frags whose rows are a multiple of 8 in this kernel, but got '!tile.frag<4x16xf32, line>'}}
    %v = tile.load %x[%c0, %c0] : memref<?x16xf32> -> !tile.frag<4x16xf32, line>
    tile.return
  }
}

// -----

// What another part has not lowered before is not known.
module attributes {hk.isa = "sm_80"} {
  tile.kernel @values(%x: memref<?x64xf16>) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{failed to legalize operation 'tile.stage'}}
    %v = tile.stage %x[%c0, %c0] : memref<?x64xf16> -> !tile.buf<64x64xf16>
    tile.return
  }
}
