// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-outline -split-input-file -verify-diagnostics

!x = tensor<?x8x16xf32>

func.func @not_cut(%x: !x) -> !x {
  // expected-error@+1 {{expects a function of kernels (hk-cut) that is to be outlined, but got hk.rms_norm}}
  %y = hk.rms_norm %x : !x
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>

func.func @no_schedules(%x: !x) -> !x {
  // expected-error@+1 {{expects schedules before it is outlined (hk-assign-schedules)}}
  %y = hk.kernel @k(%a = %x : !x) -> (!x) scope(row) {
    %r = hk.rms_norm %a : !x
    hk.yield %r : !x
  }
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

func.func @no_results(%x: !x) -> !x {
  // expected-error@+1 {{expects results, but got none}}
  hk.kernel @k(%a = %x : !x) -> () scope(row) schedules [#s] {
    hk.yield
  }
  return %x : !x
}

// -----

!x = tensor<?x8x16xf32>

func.func @input_returned(%x: !x) -> !x {
  // expected-error@+1 {{expects every result to be computed by a kernel, but got an input of the function as result 0}}
  return %x : !x
}

// -----

!x = tensor<?x8x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

func.func @twice(%x: !x) -> (!x, !x) {
  %y = hk.kernel @k(%a = %x : !x) -> (!x) scope(row) schedules [#s] {
    %r = hk.rms_norm %a : !x
    hk.yield %r : !x
  }
  // expected-error@+1 {{expects different values as results, but got the same as results 0 and 1}}
  return %y, %y : !x, !x
}

// -----

!x = tensor<?x8x16xf32>

func.func @bounds(%x: !x, %n: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects constant bounds and a positive constant step, so that its layers can be listed in a plan}}
  %r = scf.for %l = %c0 to %n step %c1 iter_args(%t = %x) -> (!x) {
    scf.yield %t : !x
  }
  return %r : !x
}

// -----

!x = tensor<?x8x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

func.func @layer(%x: !x, %n: index) -> !x {
  // expected-error@+1 {{expects a layer that is constant when loops are unrolled}}
  %y = hk.kernel @k(%a = %x : !x, %l = %n : index) -> (!x) scope(row) schedules [#s] {
    %r = hk.rms_norm %a : !x
    hk.yield %r : !x
  }
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

func.func @index_first(%x: !x) -> !x {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{expects one index among the operands, the last, but got one before it}}
  %y = hk.kernel @k(%l = %c1 : index, %a = %x : !x) -> (!x) scope(row) schedules [#s] {
    %r = hk.rms_norm %a : !x
    hk.yield %r : !x
  }
  return %y : !x
}

// -----

#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

func.func @constant() -> tensor<2x8x16xf32> {
  %x = arith.constant dense<0.0> : tensor<2x8x16xf32>
  // expected-error@+1 {{expects operands that are inputs of the function or results of kernels, but got a value of type 'tensor<2x8x16xf32>'}}
  return %x : tensor<2x8x16xf32>
}

// -----

// expected-error@+1 {{expects one block, but got control flow}}
func.func @blocks(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2x8x16xf32>
}
