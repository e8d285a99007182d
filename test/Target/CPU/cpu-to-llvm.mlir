// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --pass-pipeline='builtin.module(builtin.module(hk-cpu-to-llvm))' | FileCheck %s

// A module of kernels becomes the LLVM dialect; its surroundings stay.

// CHECK-LABEL: hk.packed @w
hk.packed @w : tensor<4xf32> {
  %w = hk.param "w" from f32 : tensor<4xf64>
  hk.yield %w : tensor<4xf64>
}

// CHECK-LABEL: module @"x86-64-v3" attributes {hk.isa = "x86-64-v3"}
module @"x86-64-v3" attributes {hk.isa = "x86-64-v3"} {
  // CHECK: llvm.func @twice(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
  // CHECK-SAME: hk.executable = @twice
  // CHECK-NOT: {{(scf|arith|memref|vector|cf|func|math|builtin)\.}}
  // CHECK: llvm.fadd {{.*}} : vector<8xf32>
  func.func @twice(%args: !llvm.ptr, %first: i64, %last: i64)
      attributes {hk.executable = @twice, hk.variant = 0 : i64,
                  hk.scratch = 0 : i64, hk.packed = [], hk.imports = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : index
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %in = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %out.address = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %out = llvm.load %out.address : !llvm.ptr -> !llvm.ptr
    scf.for %w = %first to %last step %c1 : i64 {
      scf.for %i = %c0 to %c64 step %c8 {
        %ii = arith.index_cast %i : index to i64
        %c64i = arith.constant 64 : i64
        %base = arith.muli %w, %c64i : i64
        %at = arith.addi %base, %ii : i64
        %p = llvm.getelementptr %in[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %out[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
        %y = arith.addf %x, %x : vector<8xf32>
        llvm.store %y, %q : vector<8xf32>, !llvm.ptr
      }
    }
    return
  }
}
