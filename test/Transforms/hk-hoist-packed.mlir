// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-hoist-packed -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-hoist-packed -hk-hoist-packed -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-hoist-packed -split-input-file -remarks-filter="hk-hoist-packed" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x4x16xf32>
!y = tensor<?x4x8xf32>
!w = tensor<8x16xf32>

// Parameters alone, without any fold: the stored type is widened in the
// region, the value rounded once, to f32.
// CHECK:       hk.packed @a.weight : tensor<8x16xf32> {
// CHECK-NEXT:    %[[W:.*]] = hk.param "a.weight" from f32 : tensor<8x16xf64>
// CHECK-NEXT:    hk.yield %[[W]] : tensor<8x16xf64>
// CHECK:       hk.packed @a.bias : tensor<8xf32> {
// CHECK-NEXT:    hk.param "a.bias" from f16 : tensor<8xf64>
// CHECK-LABEL: func.func @bare(
// CHECK-NOT:     hk.param
// CHECK:         %[[W:.*]] = hk.packed.get @a.weight : tensor<8x16xf32>
// CHECK:         %[[B:.*]] = hk.packed.get @a.bias : tensor<8xf32>
// CHECK:         hk.linear %{{.*}}, %[[W]], %[[B]] : tensor<?x4x16xf32>, tensor<8x16xf32>, tensor<8xf32>
// REMARK: remark: [Passed] Hoisted | Category:hk-hoist-packed | Function=bare | Remark="computed when a checkpoint is loaded: @a.weight"
func.func @bare(%x: !x) -> !y {
  %w = hk.param "a.weight" : !w
  %b = hk.param "a.bias" from f16 : tensor<8xf32>
  %y = hk.linear %x, %w, %b : !x, !w, tensor<8xf32>
  return %y : !y
}

// -----

!x = tensor<?x4x16xf32>
!w = tensor<8x16xf32>
!b = tensor<8xf32>

// The whole vocabulary, in f64. A value that two expressions read is computed
// in each; names come from what a value is chiefly made of.
// CHECK:       hk.packed @a.q_k.weight : tensor<16x16xf32> {
// CHECK-NEXT:    %[[Q:.*]] = hk.param "a.q.weight" from f32 : tensor<8x16xf64>
// CHECK-NEXT:    %[[S:.*]] = hk.pack.scale %[[Q]] by 2.500000e-01 : tensor<8x16xf64>
// CHECK-NEXT:    %[[K:.*]] = hk.param "a.k.weight" from f32 : tensor<8x16xf64>
// CHECK-NEXT:    %[[C:.*]] = hk.pack.concat %[[S]], %[[K]] dim 0 : tensor<8x16xf64>, tensor<8x16xf64> -> tensor<16x16xf64>
// CHECK-NEXT:    %[[G:.*]] = hk.param "n.weight" from f32 : tensor<16xf64>
// CHECK-NEXT:    %[[W:.*]] = hk.pack.scale_dim %[[C]], %[[G]] dim 1 : tensor<16x16xf64>, tensor<16xf64>
// CHECK-NEXT:    hk.yield %[[W]] : tensor<16x16xf64>
// CHECK:       hk.packed @a.q.bias : tensor<16xf32> {
// CHECK-NEXT:    %[[Q:.*]] = hk.param "a.q.weight" from f32 : tensor<8x16xf64>
// CHECK-NEXT:    %[[V:.*]] = hk.param "v" from f32 : tensor<16xf64>
// CHECK-NEXT:    %[[M:.*]] = hk.pack.matvec %[[Q]], %[[V]] : tensor<8x16xf64>, tensor<16xf64> -> tensor<8xf64>
// CHECK-NEXT:    %[[B:.*]] = hk.param "a.q.bias" from f32 : tensor<8xf64>
// CHECK-NEXT:    %[[A:.*]] = hk.pack.add %[[M]], %[[B]] : tensor<8xf64>
// CHECK-NEXT:    %[[Z:.*]] = hk.pack.zeros : tensor<8xf64>
// CHECK-NEXT:    %[[C:.*]] = hk.pack.concat %[[A]], %[[Z]] dim 0 : tensor<8xf64>, tensor<8xf64> -> tensor<16xf64>
// CHECK-NEXT:    hk.yield %[[C]] : tensor<16xf64>
// CHECK-LABEL: func.func @folded(
// CHECK-NOT:     hk.pack.
// CHECK:         hk.linear %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x16xf32>, tensor<16x16xf32>, tensor<16xf32>
func.func @folded(%x: !x) -> !x {
  %q = hk.param "a.q.weight" : !w
  %k = hk.param "a.k.weight" : !w
  %g = hk.param "n.weight" : tensor<16xf32>
  %v = hk.param "v" : tensor<16xf32>
  %b = hk.param "a.q.bias" : !b
  %s = hk.pack.scale %q by 2.5e-01 : !w
  %c = hk.pack.concat %s, %k dim 0 : !w, !w -> tensor<16x16xf32>
  %w = hk.pack.scale_dim %c, %g dim 1 : tensor<16x16xf32>, tensor<16xf32>
  %m = hk.pack.matvec %q, %v : !w, tensor<16xf32> -> !b
  %a = hk.pack.add %m, %b : !b
  %z = hk.pack.zeros : !b
  %ab = hk.pack.concat %a, %z dim 0 : !b, !b -> tensor<16xf32>
  %y = hk.linear %x, %w, %ab : !x, tensor<16x16xf32>, tensor<16xf32>
  return %y : !x
}

// -----

!x = tensor<?x4x16xf32>
!w = tensor<16x16xf32>

// In a loop: what depends on the layer has layers, what does not has none. A
// constant layer is a key like any other.
// CHECK:       hk.packed @layers.w layers(2 to 5) : tensor<16x16xf32> {
// CHECK-NEXT:  ^bb0(%[[L:.*]]: index):
// CHECK-NEXT:    hk.param "layers.{}.w"[%[[L]]] from f32 : tensor<16x16xf64>
// CHECK:       hk.packed @shared : tensor<16xf32> {
// CHECK:       hk.packed @layers.7.w : tensor<16x16xf32> {
// CHECK-NEXT:    hk.param "layers.7.w" from f32 : tensor<16x16xf64>
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for %[[L:.*]] = %c2
// CHECK:           %[[W:.*]] = hk.packed.get @layers.w[%[[L]]] : tensor<16x16xf32>
// CHECK:           %[[B:.*]] = hk.packed.get @shared : tensor<16xf32>
// CHECK:           hk.linear %{{.*}}, %[[W]], %[[B]]
// CHECK:         hk.packed.get @layers.7.w : tensor<16x16xf32>
func.func @loop(%x: !x) -> !x {
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %l = %c2 to %c5 step %c1 iter_args(%t = %x) -> (!x) {
    %w = hk.param "layers.{}.w"[%l] : !w
    %b = hk.param "shared" : tensor<16xf32>
    %y = hk.linear %t, %w, %b : !x, !w, tensor<16xf32>
    scf.yield %y : !x
  }
  %w = hk.param "layers.{}.w"[%c7] : !w
  %y = hk.linear %r, %w : !x, !w
  return %y : !x
}

// -----

!x = tensor<?x4x16xf32>
!w = tensor<16x16xf32>

// Equal initialisers are one symbol, in one function or in several; an oracle
// has its own, in f64, and so has another value with the same chief part.
// CHECK-COUNT-2: hk.packed @
// CHECK-NOT:     hk.packed @
// CHECK-LABEL: func.func @first(
// CHECK:         hk.packed.get @w :
// CHECK:         hk.packed.get @w :
// CHECK:         hk.packed.get @w_0 :
func.func @first(%x: !x) -> !x {
  %a = hk.param "w" : !w
  %b = hk.param "w" : !w
  %s = hk.pack.scale %b by 2.0 : !w
  %0 = hk.linear %x, %a : !x, !w
  %1 = hk.linear %0, %b : !x, !w
  %2 = hk.linear %1, %s : !x, !w
  return %2 : !x
}
// CHECK-LABEL: func.func @second(
// CHECK:         hk.packed.get @w : tensor<16x16xf32>
func.func @second(%x: !x) -> !x {
  %a = hk.param "w" : !w
  %0 = hk.linear %x, %a : !x, !w
  return %0 : !x
}
// CHECK:       hk.packed @w.f64 : tensor<16x16xf64> {
// CHECK-NEXT:    hk.param "w" from f32 : tensor<16x16xf64>
// CHECK-LABEL: func.func @second.oracle(
// CHECK:         hk.packed.get @w.f64 : tensor<16x16xf64>
func.func @second.oracle(%x: tensor<?x4x16xf64>) -> tensor<?x4x16xf64>
    attributes {hk.oracle_of = @second} {
  %a = hk.param "w" from f32 : tensor<16x16xf64>
  %0 = hk.linear %x, %a : tensor<?x4x16xf64>, tensor<16x16xf64>
  return %0 : tensor<?x4x16xf64>
}

// -----

!x = tensor<?x4x16xf16>

// Where f16 parameters were not widened before: exact in f32, and a cast that
// loses nothing is no operation.
// CHECK:       hk.packed @w : tensor<16x16xf32> {
// CHECK-NEXT:    hk.param "w" from f16 : tensor<16x16xf64>
// CHECK:       hk.packed @g : tensor<16xf32> {
// CHECK-NEXT:    %[[G:.*]] = hk.param "g" from f16 : tensor<16xf64>
// CHECK-NEXT:    hk.yield %[[G]]
// CHECK-LABEL: func.func @half(
// CHECK:         hk.linear %{{.*}}, %{{.*}} : tensor<?x4x16xf16>, tensor<16x16xf32>
// CHECK:         hk.rms_norm %{{.*}}, %{{.*}} : tensor<?x4x16xf16>, tensor<16xf32>
func.func @half(%x: !x) -> !x {
  %w = hk.param "w" : tensor<16x16xf16>
  %g = hk.param "g" : tensor<16xf16>
  %wide = hk.cast %g : tensor<16xf16> to tensor<16xf32>
  %0 = hk.linear %x, %w : !x, tensor<16x16xf16>
  %1 = hk.rms_norm %0, %wide : !x, tensor<16xf32>
  return %1 : !x
}
