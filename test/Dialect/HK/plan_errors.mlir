// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects at least one hk.variant, but got none}}
"hk.executable"() <{sym_name = "executable_c1_empty"}> ({
^bb0:
}) : () -> ()

// -----

// expected-error @+1 {{expects hk.variant in the region, but got arith.constant}}
hk.executable @executable_c1_other {
  %0 = arith.constant 0 : i32
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @executable_c2_types {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
  // expected-error @+1 {{expects the type of the first variant, '(tensor<?x8x64xf32>) -> tensor<?x8x64xf32>', but got '(tensor<?x8x32xf32>) -> tensor<?x8x32xf32>'}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: tensor<?x8x32xf32>):
    hk.yield %a : tensor<?x8x32xf32>
  }
}

// -----

// expected-error @+1 {{region should have no arguments}}
"hk.executable"() <{sym_name = "executable_arguments"}> ({
^bb0(%a: index):
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
    hk.yield
  }
}) : () -> ()

// -----

hk.executable @variant_c1_schedule {
  // expected-error @+1 {{invalid kind of attribute specified}}
  hk.variant "fast" grid(affine_map<()[B] -> (B)>) {
    hk.yield
  }
}

// -----

hk.executable @variant_c2_grid {
  // expected-error @+1 {{expects grid to be a map of the batch, ()[B] -> (..), but got affine_map<(d0) -> (d0)>}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<(B) -> (B)>) {
    hk.yield
  }
}

// -----

hk.executable @variant_c2_two_results {
  // expected-error @+1 {{expects grid to be a map of the batch, ()[B] -> (..), but got affine_map<()[s0] -> (s0, s0)>}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B, B)>) {
    hk.yield
  }
}

// -----

hk.executable @variant_c3_no_yield {
  // expected-error @+1 {{expects the region to end in hk.yield, but got arith.constant}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
    %0 = arith.constant 0 : i32
  }
}

// -----

hk.executable @variant_no_block {
  // expected-error @+1 {{failed to verify constraint: region with 1 blocks}}
  "hk.variant"() <{schedule = #hk.loops<isa = "x86-64", rows = 8>, grid = affine_map<()[B] -> (B)>}> ({}) : () -> ()
}

// -----

func.func @variant_parent() {
  // expected-error @+1 {{expects parent op 'hk.executable'}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
    hk.yield
  }
  return
}

// -----

func.func private @f()
// expected-error @+1 {{expects hk.dispatch, and hk.yield at the end, in the region, but got arith.constant}}
hk.plan @plan_c1_other of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
  %0 = arith.constant 0 : i32
  hk.yield
}

// -----

!x = tensor<?x8x64xf32>
// expected-error @+1 {{expects hk.dispatch, and hk.yield at the end, in the region, but got hk.dispatch}}
hk.plan @plan_c1_no_yield of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  %y = hk.dispatch @e(%x) at([#hk.result<0>]) : (!x) -> !x
}

// -----

func.func private @f()
// expected-error @+1 {{expects workspace to be a map of the batch, ()[B] -> (..), but got affine_map<() -> (0)>}}
hk.plan @plan_c2_workspace of @f rank(0) role(safe) workspace(affine_map<() -> (0)>) {
  hk.yield
}

// -----

// expected-error @+1 {{expects @f to be a function, but got no such symbol}}
hk.plan @plan_c3_no_function of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
  hk.yield
}

// -----

func.func private @f(tensor<?x8x64xf32>)
// expected-error @+1 {{expects the type of @f, '(tensor<?x8x64xf32>) -> ()', but got '(tensor<?x8x32xf32>) -> ()'}}
hk.plan @plan_c3_inputs of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: tensor<?x8x32xf32>):
  hk.yield
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
// expected-error @+1 {{expects the type of @f, '(tensor<?x8x64xf32>) -> tensor<?x8x64xf32>', but got '(tensor<?x8x64xf32>) -> ()'}}
hk.plan @plan_c3_results of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  hk.yield
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
// expected-error @+1 {{expects value 0 to come from a dispatch, but got an argument}}
hk.plan @plan_c4_argument of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  hk.yield %x : !x
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
// expected-error @+1 {{expects value 0 to lie in #hk.result<0>, but got [#hk.workspace<0>]}}
hk.plan @plan_c4_place of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  %y = hk.dispatch @e(%x) at([#hk.workspace<0>]) : (!x) -> !x
  hk.yield %y : !x
}

// -----

func.func private @f()
// expected-error @+1 {{expects one of candidate, safe, reference, oracle, but got fast}}
hk.plan @plan_role of @f rank(0) role(fast) workspace(affine_map<()[B] -> (B)>) {
  hk.yield
}

// -----

hk.plan @dispatch_c1_no_executable of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
  // expected-error @+1 {{expects @e to be a hk.executable, but got no such symbol}}
  hk.dispatch @e() at([]) : () -> ()
  hk.yield
}
func.func private @f()

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
hk.plan @dispatch_c1_types of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  // expected-error @+1 {{expects an executable of type '(tensor<?x8x64xf32>, tensor<?x8x64xf32>) -> tensor<?x8x64xf32>', but got '(tensor<?x8x64xf32>) -> tensor<?x8x64xf32>'}}
  %y = hk.dispatch @e(%x, %x) at([#hk.result<0>]) : (!x, !x) -> !x
  hk.yield %y : !x
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
hk.plan @dispatch_c1_layer of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  // expected-error @+1 {{expects an executable of type '(tensor<?x8x64xf32>, index) -> tensor<?x8x64xf32>', but got '(tensor<?x8x64xf32>) -> tensor<?x8x64xf32>'}}
  %y = hk.dispatch @e(%x) layer(0) at([#hk.result<0>]) : (!x) -> !x
  hk.yield %y : !x
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
hk.plan @dispatch_c2_number of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  // expected-error @+1 {{expects one place for each of 1 results, but got 2}}
  %y = hk.dispatch @e(%x) at([#hk.result<0>, #hk.result<1>]) : (!x) -> !x
  hk.yield %y : !x
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
hk.plan @dispatch_c2_kind of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  // expected-error @+1 {{expects #hk.workspace or #hk.result as a place, but got 0}}
  %y = hk.dispatch @e(%x) at([0]) : (!x) -> !x
  %z = hk.dispatch @e(%y) at([#hk.result<0>]) : (!x) -> !x
  hk.yield %z : !x
}

// -----

!x = tensor<?x8x64xf32>
hk.executable @e {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%a: !x):
    hk.yield %a : !x
  }
}
func.func private @f(!x) -> !x
hk.plan @dispatch_c3_layer of @f rank(0) role(safe) workspace(affine_map<()[B] -> (B)>) {
^bb0(%x: !x):
  // expected-error @+1 {{expects a layer that is not negative, but got -1}}
  %y = hk.dispatch @e(%x) layer(-1) at([#hk.result<0>]) : (!x) -> !x
  hk.yield %y : !x
}

// -----

func.func @dispatch_parent() {
  // expected-error @+1 {{expects parent op 'hk.plan'}}
  hk.dispatch @e() at([]) : () -> ()
  return
}

// -----

hk.executable @variant_c4_skip_rows {
  // expected-error @+1 {{expects skip_rows to be an index below 1, but got -1}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) skip_rows(-1) {
  ^bb0(%n: tensor<?xi32>):
    hk.yield
  }
}
