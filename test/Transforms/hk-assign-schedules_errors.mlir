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

// -----

func.func private @arch(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> attributes {hk.arch = "sm_75", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  // expected-error@+1 {{expects hk.arch of sm_80, sm_86, sm_89, sm_90a or sm_120, but got sm_75}}
  %y = hk.kernel @k(%a = %x : tensor<?x8x16xf32>) -> (tensor<?x8x16xf32>) scope(row) {
    hk.yield %a : tensor<?x8x16xf32>
  }
  return %y : tensor<?x8x16xf32>
}
