// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-widen -split-input-file -verify-diagnostics

func.func @foreign(%x: tensor<2x4xf16>) -> tensor<2x4xf16> {
  // expected-error@+1 {{'arith.addf' op cannot be retyped: expects only the operations of a network (hk.param and row or sequence operations), but got this one}}
  %y = arith.addf %x, %x : tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}
