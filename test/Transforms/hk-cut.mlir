// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-cut -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-cut -hk-cut -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-cut -split-input-file -remarks-filter="hk-cut" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x128x64xf32>
!qkv = tensor<?x128x192xf32>
!n = tensor<?xi32>
!w = tensor<64x64xf32>

hk.packed @qkv layers(0 to 2) : tensor<192x64xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<192x64xf64>
  hk.yield %z : tensor<192x64xf64>
}
hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}

// A layer in a loop: one cut, before the attention; the split is repeated in
// the kernel that reads keys and values; packed values are read inside, with
// the layer as the last argument; the residual is an argument of the second.
// REMARK: remark: [Passed] Cut | Category:hk-cut | Function=layers | Remark="cut before hk.attention: attention reads keys and values of rows that other workgroups compute"
// REMARK: remark: [Analysis] Kernel {{.*}}"kernel @norm_linear: 2 operations, 256 bytes of scratch a row"
// REMARK: remark: [Analysis] Kernel {{.*}}"kernel @attention_linear: 5 operations, 256 bytes of scratch a row"
// REMARK: remark: [Analysis] Kernel {{.*}}"kernel @norm: 1 operations, 0 bytes of scratch a row"
// CHECK-LABEL: func.func @layers(
// CHECK-SAME:    %[[X:.*]]: tensor<?x128x64xf32>, %[[N:.*]]: tensor<?xi32>)
// CHECK-NOT:     hk.packed.get
// CHECK:         %[[R:.*]] = scf.for %[[L:.*]] = %c0 to %c2 step %c1 iter_args(%[[T:.*]] = %[[X]])
// CHECK-NEXT:      %[[QKV:.*]] = hk.kernel @norm_linear(%[[A:.*]] = %[[T]] : tensor<?x128x64xf32>, %[[I:.*]] = %[[L]] : index) -> (tensor<?x128x192xf32>) scope(row) {
// CHECK-NEXT:        %[[H:.*]] = hk.rms_norm %[[A]]
// CHECK-NEXT:        %[[W:.*]] = hk.packed.get @qkv[%[[I]]] : tensor<192x64xf32>
// CHECK-NEXT:        %[[P:.*]] = hk.linear %[[H]], %[[W]]
// CHECK-NEXT:        hk.yield %[[P]] : tensor<?x128x192xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[Y:.*]] = hk.kernel @attention_linear(%[[P:.*]] = %[[QKV]] : tensor<?x128x192xf32>, %[[LEN:.*]] = %[[N]] : tensor<?xi32>, %[[RES:.*]] = %[[T]] : tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>) scope(row) {
// CHECK-NEXT:        %[[S:.*]]:3 = hk.split %[[P]]
// CHECK-NEXT:        hk.attention %[[S]]#0, %[[S]]#1, %[[S]]#2 lengths(%[[LEN]])
// CHECK-NEXT:        hk.packed.get @w : tensor<64x64xf32>
// CHECK-NEXT:        hk.linear
// CHECK-NEXT:        hk.add %[[RES]]
// CHECK-NEXT:        hk.activation silu
// CHECK-NEXT:        hk.mask_rows %{{.*}} lengths(%[[LEN]])
// CHECK-NEXT:        hk.yield
// CHECK:           scf.yield %[[Y]]
// CHECK:         %[[Z:.*]] = hk.kernel @norm(%{{.*}} = %[[R]] : tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>) scope(row) {
// CHECK:         return %[[Z]]
func.func @layers(%x: !x, %n: !n) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %w = hk.packed.get @w : !w
  %r = scf.for %l = %c0 to %c2 step %c1 iter_args(%t = %x) -> (!x) {
    %h = hk.rms_norm %t : !x
    %wp = hk.packed.get @qkv[%l] : tensor<192x64xf32>
    %p = hk.linear %h, %wp : !x, tensor<192x64xf32>
    %q, %k, %v = hk.split %p : !qkv -> !x, !x, !x
    %c = hk.attention %q, %k, %v lengths(%n) {num_heads = 4 : i32} : !x, !x, !x, !n
    %o = hk.linear %c, %w : !x, !w
    %s = hk.add %t, %o : !x, !x
    %a = hk.activation silu %s : !x
    %m = hk.mask_rows %a lengths(%n) : !x, !n
    scf.yield %m : !x
  }
  %y = hk.rms_norm %r : !x
  return %y : !x
}

// -----

!x = tensor<?x128x64xf32>

// Without a loop, a kernel reaches from one attention to the next; what later
// kernels, and the caller, read are results. Keys that come from before the
// kernel need no cut.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<?x128x64xf32>)
// CHECK-NEXT:    %[[A:.*]]:2 = hk.kernel @attention_norm(%[[P:.*]] = %[[X]] : tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>, tensor<?x128x64xf32>) scope(row) {
// CHECK-NEXT:      %[[C:.*]] = hk.attention %[[P]], %[[P]], %[[P]]
// CHECK-NEXT:      %[[R:.*]] = hk.add %[[P]], %[[C]]
// CHECK-NEXT:      %[[H:.*]] = hk.rms_norm %[[R]]
// CHECK-NEXT:      hk.yield %[[R]], %[[H]]
// CHECK:         %[[B:.*]] = hk.kernel @attention(%[[H:.*]] = %[[A]]#1 : tensor<?x128x64xf32>, %[[R:.*]] = %[[A]]#0 : tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>) scope(row) {
// CHECK-NEXT:      hk.attention %[[H]], %[[H]], %[[H]]
// CHECK-NEXT:      hk.add %[[R]]
// CHECK-NEXT:      hk.attention %{{.*}}, %[[H]], %[[H]]
// CHECK:         return %[[A]]#1, %[[B]]
func.func @chain(%x: !x) -> (!x, !x) {
  %c = hk.attention %x, %x, %x {num_heads = 4 : i32} : !x, !x, !x
  %r = hk.add %x, %c : !x, !x
  %h = hk.rms_norm %r : !x
  %d = hk.attention %h, %h, %h {num_heads = 4 : i32} : !x, !x, !x
  %s = hk.add %r, %d : !x, !x
  %e = hk.attention %s, %h, %h {num_heads = 4 : i32} : !x, !x, !x
  return %h, %e : !x, !x
}

// -----

// A part of a split that leaves the kernels is computed; the others are views.
// CHECK-LABEL: func.func @returned_split(
// CHECK:         %[[R:.*]]:2 = hk.kernel @norm(
// CHECK:           %[[S:.*]]:2 = hk.split
// CHECK:           hk.yield %[[S]]#0, %[[S]]#1
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @returned_split(%x: tensor<?x8x64xf32>) -> (tensor<?x8x32xf32>, tensor<?x8x32xf32>) {
  %h = hk.rms_norm %x : tensor<?x8x64xf32>
  %a, %b = hk.split %h : tensor<?x8x64xf32> -> tensor<?x8x32xf32>, tensor<?x8x32xf32>
  return %a, %b : tensor<?x8x32xf32>, tensor<?x8x32xf32>
}

// -----

// A split in the middle of a kernel: nothing is left of the linear it reads.
// CHECK-LABEL: func.func @gated(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x64xf32>
// CHECK-NEXT:    %[[Y:.*]] = hk.kernel @linear(%[[A:.*]] = %[[X]] : tensor<?x8x64xf32>) -> (tensor<?x8x32xf32>) scope(row) {
// CHECK-NEXT:      %[[W:.*]] = hk.packed.get @w
// CHECK-NEXT:      %[[L:.*]] = hk.linear %[[A]], %[[W]]
// CHECK-NEXT:      %[[S:.*]]:2 = hk.split %[[L]]
// CHECK-NEXT:      %[[G:.*]] = hk.activation silu %[[S]]#0
// CHECK-NEXT:      %[[M:.*]] = hk.mul %[[G]], %[[S]]#1
// CHECK-NEXT:      hk.yield %[[M]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Y]]
hk.packed @w : tensor<64x64xf32> {
  %w = hk.param "w" from f32 : tensor<64x64xf64>
  hk.yield %w : tensor<64x64xf64>
}
func.func @gated(%x: tensor<?x8x64xf32>) -> tensor<?x8x32xf32> {
  %w = hk.packed.get @w : tensor<64x64xf32>
  %l = hk.linear %x, %w : tensor<?x8x64xf32>, tensor<64x64xf32>
  %a, %b = hk.split %l : tensor<?x8x64xf32> -> tensor<?x8x32xf32>, tensor<?x8x32xf32>
  %g = hk.activation silu %a : tensor<?x8x32xf32>
  %m = hk.mul %g, %b : tensor<?x8x32xf32>, tensor<?x8x32xf32>
  return %m : tensor<?x8x32xf32>
}

// -----

// Sequences of another length are another kernel.
// REMARK: remark: [Passed] Cut {{.*}}Function=lengths | Remark="cut before hk.activation: the rows of a sequence change from 8 to 4"
// CHECK-LABEL: func.func @lengths(
// CHECK:         hk.kernel @activation(
// CHECK:         hk.kernel @activation(
func.func @lengths(%x: tensor<?x8x64xf32>, %y: tensor<?x4x64xf32>) -> (tensor<?x8x64xf32>, tensor<?x4x64xf32>) {
  %a = hk.activation relu %x : tensor<?x8x64xf32>
  %b = hk.activation relu %y : tensor<?x4x64xf32>
  return %a, %b : tensor<?x8x64xf32>, tensor<?x4x64xf32>
}

// -----

!x = tensor<?x128x64xf64>

// An oracle is one kernel that owns a sequence.
// CHECK-LABEL: func.func @f.oracle(
// CHECK:         %[[Y:.*]] = hk.kernel @f.oracle.network(%{{.*}} = %{{.*}} : tensor<?x128x64xf64>) -> (tensor<?x128x64xf64>) scope(sequence) {
// CHECK-NEXT:      hk.rms_norm
// CHECK-NEXT:      hk.attention
// CHECK-NEXT:      hk.add
// CHECK-NEXT:      hk.yield
// CHECK:         return %[[Y]]
func.func @f.oracle(%x: !x) -> !x attributes {hk.oracle_of = @f} {
  %h = hk.rms_norm %x : !x
  %c = hk.attention %h, %h, %h {num_heads = 4 : i32} : !x, !x, !x
  %s = hk.add %x, %c : !x, !x
  return %s : !x
}
