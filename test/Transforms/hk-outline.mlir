// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-outline -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-outline -split-input-file -remarks-filter="hk-outline" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x100x64xf32>
!t = tensor<?x100x192xf32>
!n = tensor<?xi32>
#v4 = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#v3 = #hk.cpu<isa = "x86-64-v3", rows = 50, mr = 6, nr = 16, keys = 64>

// The weight of a linear operation gets the panels of each variant, layer by
// layer; a bias, or a weight that is used otherwise, stays as it is.
// CHECK-DAG:   #[[TWO:.*]] = affine_map<()[s0] -> (s0 * 2)>
// 100 rows: 64 + 36 on v4 and 2 * 50 on v3, so two workgroups a sequence.
// CHECK-DAG:   #[[WORK:.*]] = affine_map<()[s0] -> (s0 * 128000)>
// CHECK:       hk.packed @w layers(0 to 2) : tensor<192x64xf32> {
// CHECK:       hk.packed @b : tensor<192xf32> {
// CHECK:       hk.packed @w.p32 layers(0 to 2) : tensor<192x64xf32, #hk.panels<32>> {
// CHECK-NEXT:  ^bb0(%[[L:.*]]: index):
// CHECK-NEXT:    %[[W:.*]] = hk.packed.get @w[%[[L]]] : tensor<192x64xf32>
// CHECK-NEXT:    %[[P:.*]] = hk.pack.layout %[[W]] : tensor<192x64xf32> -> tensor<192x64xf32, #hk.panels<32>>
// CHECK-NEXT:    hk.yield %[[P]] : tensor<192x64xf32, #hk.panels<32>>
// CHECK:       hk.packed @w.p16 layers(0 to 2) : tensor<192x64xf32, #hk.panels<16>> {
// CHECK:       hk.executable @up {
// CHECK-NEXT:    hk.variant #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64> grid(#[[TWO]]) {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<?x100x64xf32>, %[[L:.*]]: index):
// CHECK-NEXT:      %[[W:.*]] = hk.packed.get @w.p32[%[[L]]] : tensor<192x64xf32, #hk.panels<32>>
// CHECK-NEXT:      %[[B:.*]] = hk.packed.get @b : tensor<192xf32>
// CHECK-NEXT:      hk.linear %[[A]], %[[W]], %[[B]]
// CHECK:         hk.variant #hk.cpu<isa = "x86-64-v3", rows = 50, mr = 6, nr = 16, keys = 64> grid(#[[TWO]]) {
// CHECK:           hk.packed.get @w.p16[%{{.*}}] : tensor<192x64xf32, #hk.panels<16>>
// CHECK:       hk.executable @down {
// CHECK:       hk.executable @last {
//
// The loop becomes dispatches. 76800 bytes of %t a sequence and 25600 of %y;
// %t of layer 1 takes the bytes of %t of layer 0, but %y of layer 1 not those
// of %y of layer 0, which is still read. The last value is the result.
// CHECK:       hk.plan @f.default of @f rank(0) role({{ ?}}candidate) workspace(#[[WORK]]) {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: tensor<?x100x64xf32>, %[[N:.*]]: tensor<?xi32>):
// CHECK-NEXT:    %[[T0:.*]] = hk.dispatch @up(%[[X]]) layer(0) at([#hk.workspace<0>]) : (tensor<?x100x64xf32>) -> tensor<?x100x192xf32>
// CHECK-NEXT:    %[[Y0:.*]] = hk.dispatch @down(%[[T0]], %[[X]]) at([#hk.workspace<76800>])
// CHECK-NEXT:    %[[T1:.*]] = hk.dispatch @up(%[[Y0]]) layer(1) at([#hk.workspace<0>])
// CHECK-NEXT:    %[[Y1:.*]] = hk.dispatch @down(%[[T1]], %[[Y0]]) at([#hk.workspace<102400>])
// CHECK-NEXT:    %[[Z:.*]] = hk.dispatch @last(%[[Y1]], %[[N]]) at([#hk.result<0>])
// CHECK-NEXT:    hk.yield %[[Z]] : tensor<?x100x64xf32>
// CHECK:       func.func private @f(tensor<?x100x64xf32> {hk.name = "x"}, tensor<?xi32>) -> tensor<?x100x64xf32>
// REMARK: remark: [Analysis] Plan | Category:hk-outline | Function=f | Remark="plan @f.default: 5 dispatches, 128000 bytes of workspace a sequence"
hk.packed @w layers(0 to 2) : tensor<192x64xf32> {
^bb0(%l: index):
  %z = hk.param "l.{}.w"[%l] from f32 : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}
hk.packed @b : tensor<192xf32> {
  %z = hk.param "b" from f32 : tensor<192xf64>
  hk.yield %z : tensor<192xf64>
}
func.func @f(%x: !x {hk.name = "x"}, %n: !n) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %l = %c0 to %c2 step %c1 iter_args(%s = %x) -> (!x) {
    %t = hk.kernel @up(%a = %s : !x, %i = %l : index) -> (!t) scope(row) schedules [#v4, #v3] {
      %w = hk.packed.get @w[%i] : tensor<192x64xf32>
      %b = hk.packed.get @b : tensor<192xf32>
      %o = hk.linear %a, %w, %b : !x, tensor<192x64xf32>, tensor<192xf32>
      hk.yield %o : !t
    }
    %y = hk.kernel @down(%a = %t : !t, %b = %s : !x) -> (!x) scope(row) schedules [#v4, #v3] {
      %0:3 = hk.split %a : !t -> !x, !x, !x
      %o = hk.add %b, %0#1 : !x, !x
      hk.yield %o : !x
    }
    scf.yield %y : !x
  }
  %z = hk.kernel @last(%a = %r : !x, %b = %n : !n) -> (!x) scope(row) schedules [#v4, #v3] {
    %o = hk.mask_rows %a lengths(%b) : !x, !n
    hk.yield %o : !x
  }
  return %z : !x
}

// -----

!x = tensor<?x8x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>

// Equal kernels are one executable, whatever they are called and whichever
// function they are in; another kernel of the same name gets another name.
// A plan is candidate, or oracle. Results may be read after they are written;
// a loop that only passes a value on needs no copy.
// CHECK:       hk.executable @k {
// CHECK:         hk.rms_norm
// CHECK:       hk.executable @k_0 {
// CHECK:         hk.activation
// CHECK:       hk.plan @f.default of @f rank(0) role({{ ?}}candidate)
// CHECK:         %[[A:.*]] = hk.dispatch @k(%{{.*}}) at([#hk.result<1>])
// CHECK:         %[[B:.*]] = hk.dispatch @k_0(%[[A]]) at([#hk.result<0>])
// CHECK:         hk.yield %[[B]], %[[A]]
// CHECK:       func.func private @f(
// CHECK-NOT:   hk.executable
// CHECK:       hk.plan @f.oracle.default of @f.oracle rank(0) role({{ ?}}oracle)
// CHECK:         hk.dispatch @k(%{{.*}}) at([#hk.result<0>])
// CHECK:       func.func private @f.oracle({{.*}} attributes {hk.oracle_of = @f}
func.func @f(%x: !x) -> (!x, !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = hk.kernel @k(%a = %x : !x) -> (!x) scope(row) schedules [#s] {
    %o = hk.rms_norm %a : !x
    hk.yield %o : !x
  }
  %p = scf.for %l = %c0 to %c1 step %c1 iter_args(%s = %y) -> (!x) {
    scf.yield %s : !x
  }
  %z = hk.kernel @k(%a = %p : !x) -> (!x) scope(row) schedules [#s] {
    %o = hk.activation relu %a : !x
    hk.yield %o : !x
  }
  return %z, %p : !x, !x
}
func.func @f.oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %y = hk.kernel @other(%a = %x : !x) -> (!x) scope(sequence) schedules [#s] {
    %o = hk.rms_norm %a : !x
    hk.yield %o : !x
  }
  return %y : !x
}

// -----

!x = tensor<?x8x16xf32>
!w = tensor<16x16xf32>
#s = #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8>
#o = #hk.loops<isa = "x86-64", rows = 8>

// One weight of two linear operations has one set of panels; plain loops read
// it as it is; a constant layer is a layer.
// CHECK:       hk.packed @w.p8 layers(0 to 2)
// CHECK-NOT:   hk.packed @
// CHECK:       hk.executable @k {
// CHECK:         hk.variant #hk.cpu
// CHECK:           %[[W:.*]] = hk.packed.get @w.p8[
// CHECK-NOT:       hk.packed.get
// CHECK:           hk.linear %{{.*}}, %[[W]]
// CHECK:           hk.linear %{{.*}}, %[[W]]
// CHECK:         hk.variant #hk.loops
// CHECK:           hk.packed.get @w[
// CHECK:       hk.dispatch @k(%{{.*}}) layer(1) at(
hk.packed @w layers(0 to 2) : !w {
^bb0(%l: index):
  %z = hk.param "l.{}.w"[%l] from f32 : tensor<16x16xf64>
  hk.yield %z : tensor<16x16xf64>
}
func.func @f(%x: !x) -> !x {
  %c1 = arith.constant 1 : index
  %y = hk.kernel @k(%a = %x : !x, %l = %c1 : index) -> (!x) scope(row) schedules [#s, #o] {
    %w = hk.packed.get @w[%l] : !w
    %0 = hk.linear %a, %w : !x, !w
    %1 = hk.linear %0, %w : !x, !w
    hk.yield %1 : !x
  }
  return %y : !x
}
