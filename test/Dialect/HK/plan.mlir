// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-DAG: #[[TWO:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: #[[WORKSPACE:.*]] = affine_map<()[s0] -> (s0 * 32768)>

!x = tensor<?x128x64xf32>

// CHECK: hk.executable @norm {
hk.executable @norm {
  // CHECK: hk.variant #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64> grid(#[[TWO]]) {
  hk.variant #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64> grid(affine_map<()[B] -> (B * 2)>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x128x64xf32>):
  ^bb0(%a: !x):
    %r = hk.layer_norm %a : !x
    hk.yield %r : !x
  }
  // CHECK: hk.variant #hk.loops<isa = "x86-64", rows = 128> grid(#[[ONE]]) attributes {note = "kept"} {
  hk.variant #hk.loops<isa = "x86-64", rows = 128> grid(affine_map<()[B] -> (B)>) attributes {note = "kept"} {
  ^bb0(%a: !x):
    %r = hk.layer_norm %a : !x
    hk.yield %r : !x
  }
}

// CHECK: hk.executable @masked {
hk.executable @masked {
  // CHECK: hk.variant #hk.loops<isa = "x86-64", rows = 128> grid(#[[ONE]]) skip_rows(1) {
  hk.variant #hk.loops<isa = "x86-64", rows = 128> grid(affine_map<()[B] -> (B)>) skip_rows(1) {
  ^bb0(%a: !x, %n: tensor<?xi32>):
    %r = hk.layer_norm %a : !x
    hk.yield %r : !x
  }
}

// CHECK: hk.executable @layered attributes {note = "kept"} {
hk.executable @layered attributes {note = "kept"} {
  hk.variant #hk.loops<isa = "x86-64", rows = 128> grid(affine_map<()[B] -> (B)>) {
  // CHECK: ^bb0(%{{.*}}: tensor<?x128x64xf32>, %{{.*}}: index):
  ^bb0(%a: !x, %l: index):
    %g = hk.param "layers.{}.g"[%l] : tensor<64xf32>
    %r = hk.rms_norm %a, %g : !x, tensor<64xf32>
    hk.yield %r, %a : !x, !x
  }
}

func.func private @forward(!x) -> (!x, !x)

// CHECK: hk.plan @forward.rows of @forward rank(0) role(candidate) workspace(#[[WORKSPACE]]) {
hk.plan @forward.rows of @forward rank(0) role(candidate) workspace(affine_map<()[B] -> (B * 32768)>) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<?x128x64xf32>):
^bb0(%x: !x):
  // CHECK-NEXT: %[[N:.*]] = hk.dispatch @norm(%[[X]]) at([#hk.workspace<0>]) : (tensor<?x128x64xf32>) -> tensor<?x128x64xf32>
  %n = hk.dispatch @norm(%x) at([#hk.workspace<0>]) : (!x) -> !x
  // CHECK-NEXT: %[[Y:.*]]:2 = hk.dispatch @layered(%[[N]]) layer(3) at([#hk.result<0>, #hk.result<1>]) : (tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>, tensor<?x128x64xf32>)
  %y:2 = hk.dispatch @layered(%n) layer(3) at([#hk.result<0>, #hk.result<1>]) : (!x) -> (!x, !x)
  // CHECK-NEXT: hk.yield %[[Y]]#0, %[[Y]]#1 : tensor<?x128x64xf32>, tensor<?x128x64xf32>
  hk.yield %y#0, %y#1 : !x, !x
}

// Every role. A plan may be without dispatches where the function is without results.
func.func private @nothing()
// CHECK: hk.plan @safe of @nothing rank(1) role(safe)
hk.plan @safe of @nothing rank(1) role(safe) workspace(affine_map<()[B] -> (0)>) { hk.yield }
// CHECK: hk.plan @reference of @nothing rank(2) role(reference)
hk.plan @reference of @nothing rank(2) role(reference) workspace(affine_map<()[B] -> (0)>) { hk.yield }
// CHECK: hk.plan @oracle of @nothing rank(3) role(oracle)
hk.plan @oracle of @nothing rank(3) role(oracle) workspace(affine_map<()[B] -> (0)>) { hk.yield }
