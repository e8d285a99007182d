// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-make-oracle -split-input-file -verify-diagnostics

// expected-error@+1 {{expects the name @f.oracle to be free for the oracle, but got another symbol of that name; rename it}}
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  return %x : tensor<2x4xf32>
}
func.func private @f.oracle()

// -----

func.func @foreign(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'arith.addf' op cannot be retyped: expects only the operations of a network (hk.param and row or sequence operations), but got this one}}
  %y = arith.addf %x, %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{expects a network in one block, but got 2 blocks}}
func.func @blocks(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2x4xf32>
}
