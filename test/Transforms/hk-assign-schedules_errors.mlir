// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{isas=x86-64-v2}))" -split-input-file -verify-diagnostics

func.func @unknown(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error@+1 {{expects isas of x86-64-v4, x86-64-v3 and x86-64, but got x86-64-v2}}
  %y = hk.kernel @k(%a = %x : tensor<?x8x16xf32>) -> (tensor<?x8x16xf32>) scope(row) {
    %r = hk.rms_norm %a : tensor<?x8x16xf32>
    hk.yield %r : tensor<?x8x16xf32>
  }
  return %y : tensor<?x8x16xf32>
}

// -----

func.func @no_results(%x: tensor<?x8x16xf32>) {
  // expected-error@+1 {{expects a kernel with results, but got none}}
  hk.kernel @k(%a = %x : tensor<?x8x16xf32>) -> () scope(row) {
    hk.yield
  }
  return
}
