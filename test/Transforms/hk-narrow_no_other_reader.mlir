// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-narrow | FileCheck %s

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>

hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<16x16xf64>
  hk.yield %z : tensor<16x16xf64>
}

// A sum, a norm, a loop, the caller: f32. Functions for CPUs, and operands
// other than f16, are left alone.
// CHECK-NOT: f16>
func.func private @readers(%x: !x) -> (!x, !x, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 1 : i64, hk.role = "safe"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    hk.yield %n : !x
  }
  // Read as an operand, and in a sum.
  %y = hk.kernel @linear(%a = %h : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : !w
    %l = hk.linear %a, %w : !x, !w
    %s = hk.add %l, %a : !x, !x
    hk.yield %s : !x
  }
  // Carried by a loop that begins with an input.
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%t = %x) -> (!x) {
    %z = hk.kernel @linear(%a = %t : !x) -> (!x) scope(row) {
      %w = hk.packed.get @w : !w
      %o = hk.linear %a, %w : !x, !w
      hk.yield %o : !x
    }
    scf.yield %z : !x
  }
  // Read by a kernel, and returned.
  %v = hk.kernel @linear(%a = %r : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : !w
    %l = hk.linear %a, %w : !x, !w
    hk.yield %l : !x
  }
  %u = hk.kernel @linear(%a = %v : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : !w
    %l = hk.linear %a, %w : !x, !w
    hk.yield %l : !x
  }
  return %v, %u, %y : !x, !x, !x
}
func.func @cpu(%x: !x) -> !x {
  %h = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    hk.yield %n : !x
  }
  %y = hk.kernel @linear(%a = %h : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : !w
    %l = hk.linear %a, %w : !x, !w
    hk.yield %l : !x
  }
  return %y : !x
}
func.func private @reference(%x: !x) -> !x attributes {hk.arch = "sm_90a", hk.operands = "tf32x3", hk.plan = "reference", hk.plan_of = @f, hk.rank = 2 : i64, hk.role = "reference"} {
  %h = hk.kernel @norm(%a = %x : !x) -> (!x) scope(row) {
    %n = hk.rms_norm %a : !x
    hk.yield %n : !x
  }
  %y = hk.kernel @linear(%a = %h : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : !w
    %l = hk.linear %a, %w : !x, !w
    hk.yield %l : !x
  }
  return %y : !x
}
