// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

func.func @kernel_c1_arguments(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects arguments of the types of the operands ('tensor<?x8x64xf32>'), but got ('tensor<?x8x32xf32>')}}
  %0 = "hk.kernel"(%x) <{name = "k", scope = #hk<scope row>}> ({
  ^bb0(%a: tensor<?x8x32xf32>):
    hk.yield %a : tensor<?x8x32xf32>
  }) : (tensor<?x8x64xf32>) -> tensor<?x8x32xf32>
  return
}

// -----

func.func @kernel_c2_yield(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects the region to yield the types of the results ('tensor<?x8x32xf32>'), but got ('tensor<?x8x64xf32>')}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x32xf32>) scope(row) {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_c2_no_yield(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects the region to yield the types of the results (), but got ('tensor<?x8x64xf32>')}}
  hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> () scope(row) {
    %n = hk.layer_norm %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_c3_attention(%x: tensor<?x8x64xf32>) {
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(row) {
    %n = hk.layer_norm %a : tensor<?x8x64xf32>
    // expected-error @+1 {{expects keys and values that are arguments of the kernel, or views of them, in a kernel of scope row, but got the results of other operations}}
    %y = hk.attention %a, %n, %a {num_heads = 4 : i32} : tensor<?x8x64xf32>, tensor<?x8x64xf32>, tensor<?x8x64xf32>
    hk.yield %y : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_c4_schedules(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects schedules, such as #hk.cpu, but got "fast"}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(row) schedules ["fast"] {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_scope(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects one of row, sequence, but got grid}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(grid) {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_schedules_not_a_list(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{invalid kind of attribute specified}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(row) schedules 1 {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_value_from_above(%x: tensor<?x8x64xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = hk.kernel @k() -> (tensor<?x8x64xf32>) scope(row) {
    // expected-error @+1 {{op using value defined outside the region}}
    %y = hk.layer_norm %x : tensor<?x8x64xf32>
    hk.yield %y : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_no_block(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{failed to verify constraint: region with 1 blocks}}
  "hk.kernel"(%x) <{name = "k", scope = #hk<scope row>}> ({}) : (tensor<?x8x64xf32>) -> ()
  return
}

// -----

func.func @yield_parent(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{'hk.yield' op expects parent op to be one of 'hk.packed, hk.kernel, hk.variant, hk.plan'}}
  hk.yield %x : tensor<?x8x64xf32>
}

// -----

func.func @kernel_c5_index(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects skip_rows to be an index below 1, but got 1}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(row) skip_rows(1) {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}

// -----

func.func @kernel_c5_mask(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{expects skip_rows to be the index of a mask (a vector of i32 or a matrix of i1), but got 'tensor<?x8x64xf32>'}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x64xf32>) -> (tensor<?x8x64xf32>) scope(row) skip_rows(0) {
    hk.yield %a : tensor<?x8x64xf32>
  }
  return
}
