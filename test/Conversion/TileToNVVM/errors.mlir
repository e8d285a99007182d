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

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @alloc(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects an offset in shared memory (of tile-allocate), but got none}}
    %s = tile.alloc : !tile.buf<16x64xf16>
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @chan(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects offsets of its slots and its barriers (of tile-allocate), but got none}}
    %c = tile.chan async : !tile.chan<16x64xf16, 1>
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_80"} {
  tile.kernel @bulk(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects sm_90 or later for bulk copies, but got sm_80}}
    %c = tile.chan bulk {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @matrix(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan bulk {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x64xf16, 1> -> !tile.buf<16x64xf16>
      // expected-error@+1 {{expects packed weights for a bulk copy, but got 'memref<?x64xf16>'}}
      tile.copy %x[%c0, %c0] to %s : memref<?x64xf16> -> !tile.buf<16x64xf16>
      tile.commit %c : !tile.chan<16x64xf16, 1>
    }
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @slot(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan bulk {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      %s = tile.acquire %c : !tile.chan<16x64xf16, 1> -> !tile.buf<16x64xf16>
      scf.for %i = %c0 to %b step %b {
        // expected-error@+1 {{expects its slot to be acquired in the same block, but got another}}
        tile.copy %w[%i] to %s : !tile.tiles<16x64xf16> -> !tile.buf<16x64xf16>
      }
      tile.commit %c : !tile.chan<16x64xf16, 1>
    }
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @acquire(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan bulk {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      // expected-error@+1 {{expects an acquire of the channel in the same block, but got none}}
      tile.commit %c : !tile.chan<16x64xf16, 1>
    }
    tile.return
  }
}

// -----

module attributes {hk.isa = "sm_90a"} {
  tile.kernel @commit(%x: memref<?x64xf16>, %w: !tile.tiles<16x64xf16>, %b: index)
      attributes {units = 1 : i64, producers = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c = tile.chan bulk {offset = 0 : i64, barriers = 2048 : i64} : !tile.chan<16x64xf16, 1>
    tile.role producer {
      // expected-error@+1 {{expects a commit of the channel in the same block, but got none}}
      %s = tile.acquire %c : !tile.chan<16x64xf16, 1> -> !tile.buf<16x64xf16>
    }
    tile.return
  }
}
