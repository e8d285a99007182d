// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --split-input-file --tile-to-nvvm | FileCheck %s

// Of 128 bytes at a multiple of 4, each lane reads a word.
// CHECK-LABEL: llvm.func @words
// CHECK: "@$1 ld.global.nc.b32 $0, [$2+0];"
// CHECK: llvm.intr.ctlz
// CHECK-NOT: ld.global
// CHECK: nvvm.redux.sync  umax
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @words(%m: memref<?xi8>, %b: index) attributes {units = 1 : i64} {
    %c100 = arith.constant 100 : index
    %begin = arith.muli %b, %c100 : index
    %n = tile.extent %m[%begin] of(%c100) : memref<?xi8>
    tile.return
  }
}

// -----

// A size that is not known: a loop. An odd one: bytes.
// CHECK-LABEL: llvm.func @bytes
// CHECK: scf.for
// CHECK: "@$1 ld.global.nc.b8 $0, [$2+0];"
// CHECK: nvvm.redux.sync  umax
module @sm_80 attributes {hk.isa = "sm_80"} {
  tile.kernel @bytes(%m: memref<?xi8>, %b: index) attributes {units = 1 : i64} {
    %c0 = arith.constant 0 : index
    %n = tile.extent %m[%c0] of(%b) : memref<?xi8>
    tile.return
  }
}
