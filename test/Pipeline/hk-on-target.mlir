// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -pass-pipeline='builtin.module(builtin.module(hk-on-target{target=gpu pipeline=cse,func.func(canonicalize)}))' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: hk-opt %s -pass-pipeline='builtin.module(builtin.module(hk-on-target{target=cpu pipeline=canonicalize}))' | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: not hk-opt %s -pass-pipeline='builtin.module(builtin.module(hk-on-target{target=tpu}))' 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: hk-on-target expects target to be cpu or gpu, but got 'tpu'

// CHECK-LABEL: module @cpu
// CPU-NOT: arith.addi
// GPU: arith.addi
module @cpu attributes {hk.isa = "x86-64-v4"} {
  func.func @f(%x: i32) -> i32 {
    %c = arith.constant 0 : i32
    %y = arith.addi %x, %c : i32
    return %y : i32
  }
}

// CHECK-LABEL: module @gpu
// CPU: arith.addi
// GPU-NOT: arith.addi
module @gpu attributes {hk.isa = "sm_90a"} {
  func.func @f(%x: i32) -> i32 {
    %c = arith.constant 0 : i32
    %y = arith.addi %x, %c : i32
    return %y : i32
  }
}

// Not a module of kernels.
// CHECK-LABEL: module @other
// CHECK: arith.addi
module @other {
  func.func @f(%x: i32) -> i32 {
    %c = arith.constant 0 : i32
    %y = arith.addi %x, %c : i32
    return %y : i32
  }
}
