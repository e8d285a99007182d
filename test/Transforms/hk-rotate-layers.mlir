// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: hk-opt %s -hk-rotate-layers | FileCheck %s
// RUN: hk-opt %s -hk-rotate-layers -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

// REMARK: Function=fused | Remark="an iteration begins at the attention, and ends with what the next one's attention reads"
// REMARK: Function=projected | Remark="an iteration begins behind the attention, and ends with the next one's"

!x = tensor<?x8x16xf32>
!t = tensor<?x8x48xf32>

hk.packed @wt layers(0 to 3) : tensor<48x16xf32> {
^bb0(%l: index):
  %w = hk.param "{}.t"[%l] from f32 : tensor<48x16xf64>
  hk.yield %w : tensor<48x16xf64>
}
hk.packed @wo layers(0 to 3) : tensor<16x16xf32> {
^bb0(%l: index):
  %w = hk.param "{}.o"[%l] from f32 : tensor<16x16xf64>
  hk.yield %w : tensor<16x16xf64>
}

// The head is done for layer 0, then in every iteration for the next layer,
// and the rest of layer 2 follows the loop.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    %[[X0:.*]]: tensor<?x8x16xf32>
// CHECK-DAG:     %[[W0:.*]] = hk.packed.get @wt[%c0{{.*}}]
// CHECK-DAG:     %[[N0:.*]] = hk.layer_norm %[[X0]]
// CHECK:         %[[T0:.*]] = hk.linear %[[N0]], %[[W0]]
// CHECK:         %[[R:.*]]:2 = scf.for %[[L:.*]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[X:.*]] = %[[X0]], %[[T:.*]] = %[[T0]])
// CHECK:           hk.split %[[T]]
// CHECK:           %[[C:.*]] = hk.attention
// CHECK:           %[[WO:.*]] = hk.packed.get @wo[%[[L]]]
// CHECK:           %[[O:.*]] = hk.linear %[[C]], %[[WO]]
// CHECK:           %[[Y:.*]] = hk.add %[[X]], %[[O]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[L]], %c1
// CHECK:           %[[N1:.*]] = hk.layer_norm %[[Y]]
// CHECK:           %[[W1:.*]] = hk.packed.get @wt[%[[NEXT]]]
// CHECK:           %[[T1:.*]] = hk.linear %[[N1]], %[[W1]]
// CHECK:           scf.yield %[[Y]], %[[T1]]
// CHECK:         hk.split %[[R]]#1
// CHECK:         %[[WL:.*]] = hk.packed.get @wo[%c2{{.*}}]
// CHECK:         %[[Z:.*]] = hk.add %[[R]]#0
// CHECK:         hk.layer_norm %[[Z]]
func.func @fused(%x0: !x) -> !x attributes {hk.plan = "fused"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %l = %c0 to %c3 step %c1 iter_args(%x = %x0) -> (!x) {
    %n = hk.layer_norm %x : !x
    %wt = hk.packed.get @wt[%l] : tensor<48x16xf32>
    %t = hk.linear %n, %wt : !x, tensor<48x16xf32>
    %q, %k, %v = hk.split %t : !t -> !x, !x, !x
    %c = hk.attention %q, %k, %v {num_heads = 2 : i32, causal} : !x, !x, !x
    %wo = hk.packed.get @wo[%l] : tensor<16x16xf32>
    %o = hk.linear %c, %wo : !x, tensor<16x16xf32>
    %y = hk.add %x, %o : !x, !x
    scf.yield %y : !x
  }
  %y = hk.layer_norm %r : !x
  return %y : !x
}

// Attention stays with its projection, and is done ahead with it.
// CHECK-LABEL: func.func @projected(
// CHECK-SAME:    %[[X0:.*]]: tensor<?x8x16xf32>
// CHECK:         %[[N0:.*]] = hk.layer_norm %[[X0]]
// CHECK:         %[[W0:.*]] = hk.packed.get @wt[%c0{{.*}}]
// CHECK:         hk.linear %[[N0]], %[[W0]]
// CHECK:         %[[C0:.*]] = hk.attention
// CHECK:         %[[R:.*]]:2 = scf.for %[[L:.*]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[X:.*]] = %[[X0]], %[[C:.*]] = %[[C0]])
// CHECK:           %[[W:.*]] = hk.packed.get @wo[%[[L]]]
// CHECK:           hk.linear %[[C]], %[[W]]
// CHECK:           %[[Y:.*]] = hk.add %[[X]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[L]], %c1
// CHECK:           %[[N1:.*]] = hk.layer_norm %[[Y]]
// CHECK:           %[[W1:.*]] = hk.packed.get @wt[%[[NEXT]]]
// CHECK:           hk.linear %[[N1]], %[[W1]]
// CHECK:           %[[C1:.*]] = hk.attention
// CHECK:           scf.yield %[[Y]], %[[C1]]
// CHECK-NOT:     hk.attention
// CHECK:         %[[LAST:.*]] = hk.packed.get @wo[%c2{{.*}}]
// CHECK:         hk.linear %[[R]]#1, %[[LAST]]
// CHECK:         hk.add %[[R]]#0
func.func @projected(%x0: !x) -> !x attributes {hk.plan = "projected"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %l = %c0 to %c3 step %c1 iter_args(%x = %x0) -> (!x) {
    %n = hk.layer_norm %x : !x
    %wt = hk.packed.get @wt[%l] : tensor<48x16xf32>
    %t = hk.linear %n, %wt : !x, tensor<48x16xf32>
    %q, %k, %v = hk.split %t : !t -> !x, !x, !x
    %c = hk.attention %q, %k, %v {num_heads = 2 : i32, causal} : !x, !x, !x
    %wo = hk.packed.get @wo[%l] : tensor<16x16xf32>
    %o = hk.linear %c, %wo : !x, tensor<16x16xf32>
    %y = hk.add %x, %o : !x, !x
    scf.yield %y : !x
  }
  return %r : !x
}

// One layer needs no loop.
// CHECK-LABEL: func.func @one(
// CHECK-NOT:     scf.for
// CHECK:         hk.layer_norm
// CHECK:         hk.attention
func.func @one(%x0: !x) -> !x attributes {hk.plan = "fused"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%x = %x0) -> (!x) {
    %n = hk.layer_norm %x : !x
    %c = hk.attention %n, %n, %n {num_heads = 2 : i32} : !x, !x, !x
    scf.yield %c : !x
  }
  return %r : !x
}

// Other plans are left alone.
// CHECK-LABEL: func.func @safe(
// CHECK:         scf.for
// CHECK-NEXT:      hk.layer_norm
func.func @safe(%x0: !x) -> !x attributes {hk.plan = "safe"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %l = %c0 to %c3 step %c1 iter_args(%x = %x0) -> (!x) {
    %n = hk.layer_norm %x : !x
    %c = hk.attention %n, %n, %n {num_heads = 2 : i32} : !x, !x, !x
    scf.yield %c : !x
  }
  return %r : !x
}
