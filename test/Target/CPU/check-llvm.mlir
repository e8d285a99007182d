// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --pass-pipeline='builtin.module(builtin.module(hk-check-llvm))' -verify-diagnostics

// Only modules of kernels are checked.
func.func private @network()

module @"x86-64" attributes {hk.isa = "x86-64"} {
  llvm.func @fine() {
    llvm.return
  }
  // expected-error @below {{'func.func' op expects to be lowered to the LLVM dialect, but no conversion applies to it}}
  func.func private @left()
}
