// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-cut -split-input-file -verify-diagnostics

!x = tensor<?x8x16xf32>

func.func @parameter(%x: !x) -> !x {
  // expected-error@+1 {{expects parameter-only operations to be hoisted before a function is cut (hk-hoist-packed)}}
  %g = hk.param "g" : tensor<16xf32>
  %y = hk.rms_norm %x, %g : !x, tensor<16xf32>
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>

func.func @packing(%x: !x) -> !x {
  // expected-error@+1 {{expects parameter-only operations to be hoisted before a function is cut (hk-hoist-packed)}}
  %g = hk.pack.zeros : tensor<16xf32>
  %y = hk.rms_norm %x, %g : !x, tensor<16xf32>
  return %y : !x
}

// -----

// expected-error@+1 {{expects hk operations in a function that is to be cut, but got arith.addf}}
func.func @foreign(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %y = arith.addf %x, %x : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

// expected-error@+1 {{expects one block, but got control flow}}
func.func @blocks(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2x8x16xf32>
}

// -----

!w = tensor<16x16xf32>
hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<16x16xf64>
  hk.yield %z : tensor<16x16xf64>
}
func.func @no_input(%x: !w) -> !w {
  %w = hk.packed.get @w : !w
  // expected-error@+1 {{expects an operand that depends on an input of the function, but got parameters alone}}
  %y = hk.activation relu %w : !w
  return %y : !w
}

// -----

!w = tensor<16x16xf32>
hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<16x16xf64>
  hk.yield %z : tensor<16x16xf64>
}
func.func @returned(%x: !w) -> !w {
  // expected-error@+1 {{expects packed values to be read by kernels alone, but got a use in func.return}}
  %w = hk.packed.get @w : !w
  return %w : !w
}

// -----

!x = tensor<?x8x16xf32>
hk.packed @g layers(0 to 2) : tensor<16xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<16xf64>
  hk.yield %z : tensor<16xf64>
}
func.func @two_layers(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = hk.packed.get @g[%c0] : tensor<16xf32>
  // expected-error@+1 {{expects the packed values of a kernel to be of one layer, or layers at constant distances, but got two indices}}
  %b = hk.packed.get @g[%c1] : tensor<16xf32>
  %y = hk.layer_norm %x, %a, %b : !x, tensor<16xf32>, tensor<16xf32>
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
func.func @loop(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects an oracle without loops, but got a loop}}
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%t = %x) -> (!x) {
    %y = hk.rms_norm %t : !x
    scf.yield %y : !x
  }
  return %r : !x
}

// -----

!x = tensor<?x8x16xf32>
// expected-error@+1 {{expects the attributes hk.plan_of, hk.arch, hk.plan, hk.operands, hk.role and hk.rank of a clone (hk-clone-targets), but got {hk.plan = "quick", hk.plan_of = @f}}}
func.func private @clone(%x: !x) -> !x attributes {hk.plan_of = @f, hk.plan = "quick"} {
  return %x : !x
}
