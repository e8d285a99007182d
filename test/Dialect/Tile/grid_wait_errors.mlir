// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// Kernels with a wait that is missing, late, conditional or one too many.

tile.kernel @grid_wait_c1_loop(%x: memref<?x64xf32>, %n: index) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expects a tile.kernel or a tile.role around it, but got scf.for}}
    tile.grid_wait
  }
  tile.return
}

// -----

tile.kernel @grid_wait_c1_condition(%x: memref<?x64xf32>, %n: index) attributes {units = 1 : i64} {
  %u = tile.unit
  %p = arith.cmpi eq, %u, %n : index
  scf.if %p {
    // expected-error @+1 {{expects a tile.kernel or a tile.role around it, but got scf.if}}
    tile.grid_wait
  }
  tile.return
}

// -----

tile.kernel @kernel_c5_read_before(%x: memref<?x64xf32>, %n: index) attributes {units = 1 : i64} {
  // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
  %f = tile.load %x[%n, %n] : memref<?x64xf32> -> !tile.frag<16x64xf32>
  tile.grid_wait
  tile.return
}

// -----

tile.kernel @kernel_c5_write_before(%y: memref<?x64xf32>, %n: index) attributes {units = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = tile.splat %zero : f32 -> !tile.frag<16x64xf32>
  // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
  tile.store %f to %y[%n, %n] : !tile.frag<16x64xf32>, memref<?x64xf32>
  tile.grid_wait
  tile.return
}

// -----

// A length, a mask, and a load, each within something else.
tile.kernel @kernel_c5_nested(%l: memref<?xi32>, %n: index) attributes {units = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
    %length = memref.load %l[%i] : memref<?xi32>
  }
  tile.grid_wait
  tile.return
}

// -----

tile.kernel @kernel_c5_mask(%m: memref<?xi8>, %n: index) attributes {producers = 1 : i64, units = 1 : i64} {
  tile.role producer {
    // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
    %e = tile.extent %m[%n] of(%n) : memref<?xi8>
    tile.grid_wait
  }
  tile.role consumer {
    tile.grid_wait
  }
  tile.return
}

// -----

tile.kernel @kernel_c5_copy(%x: memref<?x64xf16>, %n: index) attributes {producers = 1 : i64, units = 1 : i64} {
  %a = tile.chan async : !tile.chan<64x64xf16, 2>
  tile.role producer {
    %s = tile.acquire %a : !tile.chan<64x64xf16, 2> -> !tile.buf<64x64xf16>
    // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
    tile.copy %x[%n, %n] to %s : memref<?x64xf16> -> !tile.buf<64x64xf16>
    tile.grid_wait
  }
  tile.role consumer {
    tile.grid_wait
  }
  tile.return
}

// -----

// The consumers would end, and with them the kernel, before what is in front.
tile.kernel @kernel_c5_role_without(%n: index) attributes {producers = 1 : i64, units = 1 : i64} {
  tile.role producer {
    tile.grid_wait
  }
  // expected-error @+1 {{expects a tile.grid_wait, which other threads of the kernel reach, but got none}}
  tile.role consumer {
  }
  tile.return
}

// -----

// The producers have no role.
// expected-error @+1 {{expects a tile.grid_wait that all threads reach, but got one for some roles only}}
tile.kernel @kernel_c5_some(%n: index) attributes {producers = 1 : i64, units = 1 : i64} {
  tile.role consumer {
    tile.grid_wait
  }
  tile.return
}

// -----

// Nothing orders what is between the roles.
tile.kernel @kernel_c5_between(%l: memref<?xi32>, %n: index) attributes {producers = 1 : i64, units = 1 : i64} {
  tile.role producer {
    tile.grid_wait
  }
  // expected-error @+1 {{expects a tile.grid_wait in front of an access to memory that is not constant, but got none}}
  %length = memref.load %l[%n] : memref<?xi32>
  tile.role consumer {
    tile.grid_wait
  }
  tile.return
}

// -----

tile.kernel @kernel_c5_twice() attributes {units = 1 : i64} {
  tile.grid_wait
  // expected-error @+1 {{expects one wait of each thread, in front of the roles, but got another}}
  tile.grid_wait
  tile.return
}

// -----

tile.kernel @kernel_c5_again() attributes {units = 1 : i64} {
  tile.role consumer {
    tile.grid_wait
  }
  // expected-error @+1 {{expects one wait of each thread, in front of the roles, but got another}}
  tile.grid_wait
  tile.return
}

// -----

tile.kernel @kernel_c5_role_again() attributes {units = 1 : i64} {
  tile.grid_wait
  tile.role consumer {
    // expected-error @+1 {{expects one wait of each thread, but got a second}}
    tile.grid_wait
  }
  tile.return
}
