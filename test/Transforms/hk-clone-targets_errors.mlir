// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-clone-targets="archs=sm_90a" -split-input-file -verify-diagnostics
// RUN: not hk-opt %s -hk-clone-targets="archs=sm_90" 2>&1 | FileCheck %s -check-prefix=ARCH
// RUN: not hk-opt %s -hk-clone-targets="archs=sm_90a operands=bf16" 2>&1 | FileCheck %s -check-prefix=BF16
// RUN: not hk-opt %s -hk-clone-targets="archs=sm_90a operands=fp8" 2>&1 | FileCheck %s -check-prefix=OPERANDS

// ARCH: error: expects archs of sm_80, sm_86, sm_89, sm_90a and sm_120, but got 'sm_90'
// BF16: error: expects operands of f16, tf32 or tf32x3, but got bf16: with its 8 significant bits, results are 3 to 4 times further off than the accuracy gate allows
// OPERANDS: error: expects operands of f16, tf32 or tf32x3, but got 'fp8'

!x = tensor<?x8x16xf32>
// expected-error@+1 {{expects the name @f.sm_90a.safe to be free for a plan, but got another symbol of that name; rename it}}
func.func @f(%x: !x) -> !x {
  %y = hk.rms_norm %x : !x
  return %y : !x
}
func.func private @f.sm_90a.safe()

// -----

// expected-error@+1 {{expects one block, but got control flow}}
func.func @blocks(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2x4xf32>
}
