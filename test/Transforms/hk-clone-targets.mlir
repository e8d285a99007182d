// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-clone-targets="archs=sm_90a,sm_80" | FileCheck %s
// RUN: hk-opt %s -hk-clone-targets="archs=sm_90a cpu=false" | FileCheck %s -check-prefix=NOCPU
// RUN: hk-opt %s -hk-clone-targets="archs=sm_90a operands=tf32,f16" | FileCheck %s -check-prefix=TF32
// RUN: hk-opt %s -hk-clone-targets | FileCheck %s -check-prefix=NONE
// RUN: hk-opt %s -hk-clone-targets="archs=sm_90a" -remarks-filter="hk-clone-targets" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x8x16xf32>

// The copies come after the function, each with what it is for. A norm and a
// linear operation are one row chain; so there is a plan with chains.
// CHECK:       func.func @chain(
// CHECK-NOT:   hk.plan_of
// CHECK:       func.func private @chain.sm_90a.fused(%{{.*}}: tensor<?x8x16xf32> {hk.name = "x"}) -> tensor<?x8x16xf32>
// CHECK-SAME:    attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @chain, hk.rank = 0 : i64, hk.role = "candidate"} {
// CHECK-NEXT:    hk.packed.get @w
// CHECK-NEXT:    hk.rms_norm
// CHECK-NEXT:    hk.linear
// CHECK:       func.func private @chain.sm_90a.safe(
// CHECK-SAME:    attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @chain, hk.rank = 1 : i64, hk.role = "safe"} {
// CHECK:       func.func private @chain.sm_90a.reference(
// CHECK-SAME:    attributes {hk.arch = "sm_90a", hk.operands = "tf32x3", hk.plan = "reference", hk.plan_of = @chain, hk.rank = 2 : i64, hk.role = "reference"} {
// CHECK:       func.func private @chain.sm_80.fused(
// CHECK:       func.func private @chain.sm_80.safe(
// CHECK:       func.func private @chain.sm_80.reference(

// Nothing to join, also in a loop: no plan with chains.
// CHECK:       func.func @alone(
// CHECK-NOT:   @alone.sm_90a.fused
// CHECK:       func.func private @alone.sm_90a.safe(
// CHECK:       func.func @loop(
// CHECK-NEXT:    arith.constant
// CHECK:       func.func private @loop.sm_90a.fused(

// Of chains that are predicted to be slower, or cut otherwise, there is a plan
// that is behind the safe one.
// CHECK:       func.func @priced(
// CHECK-NOT:   @priced.sm_90a.fused
// CHECK:       func.func private @priced.sm_90a.safe({{.*}}hk.rank = 1 : i64
// CHECK:       func.func private @priced.sm_90a.chains({{.*}}hk.operands = "f16", hk.plan = "chains", hk.plan_of = @priced, hk.rank = 2 : i64, hk.role = "candidate"
// CHECK:       func.func private @priced.sm_90a.reference({{.*}}hk.rank = 3 : i64

// Where a CTA can own a sequence, attention may be one kernel with its
// projection. In a loop, row chains are rotated; one layer alone is cut so in
// the plan fused.
// CHECK:       func.func @project(
// CHECK:       func.func private @project.sm_90a.fused(
// CHECK:       func.func private @project.sm_90a.safe(
// CHECK-NOT:   @project.sm_90a.projected
// CHECK:       func.func @layers(
// CHECK:       func.func private @layers.sm_90a.safe(
// CHECK:       func.func private @layers.sm_90a.projected({{.*}}hk.operands = "f16", hk.plan = "projected", hk.plan_of = @layers, {{.*}}hk.role = "candidate"
// CHECK:       func.func private @layers.sm_90a.reference(

// Oracles, private functions and declarations are not copied.
// CHECK:       func.func @chain.oracle(
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @helper(
// CHECK-NEXT:    return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @external(
// CHECK-NEXT:  }

// Without CPUs, the function is a declaration; the oracle stays.
// NOCPU:       func.func private @chain(tensor<?x8x16xf32> {hk.name = "x"}) -> tensor<?x8x16xf32>
// NOCPU-NEXT:  func.func private @chain.sm_90a.fused(
// NOCPU:       func.func @chain.oracle(
// NOCPU-NEXT:    return

// Other precisions are candidates with both cuts, behind the safe plan.
// TF32:        func.func private @chain.sm_90a.fused({{.*}}hk.operands = "f16"{{.*}}hk.rank = 0 : i64
// TF32:        func.func private @chain.sm_90a.safe({{.*}}hk.operands = "f16"{{.*}}hk.rank = 1 : i64
// TF32:        func.func private @chain.sm_90a.fused_tf32({{.*}}hk.operands = "tf32", hk.plan = "fused"{{.*}}hk.rank = 2 : i64, hk.role = "candidate"
// TF32:        func.func private @chain.sm_90a.safe_tf32({{.*}}hk.operands = "tf32", hk.plan = "safe"{{.*}}hk.rank = 3 : i64, hk.role = "candidate"
// TF32:        func.func private @chain.sm_90a.reference({{.*}}hk.rank = 4 : i64

// NONE-NOT:    hk.plan_of

// REMARK: remark: [Passed] Plan | Category:hk-clone-targets | Function=chain | Remark="plan @chain.sm_90a.fused, candidate, rank 0"
// REMARK: remark: [Passed] Plan | Category:hk-clone-targets | Function=chain | Remark="plan @chain.sm_90a.safe, safe, rank 1"
// REMARK: remark: [Passed] Plan | Category:hk-clone-targets | Function=chain | Remark="plan @chain.sm_90a.reference, reference, rank 2"
// REMARK: remark: [Missed] NotFused | Category:hk-clone-targets | Function=alone | Remark="no plan with row chains of f16 operands for sm_90a: every operation is a kernel of its own"
hk.packed @w : tensor<16x16xf32> {
  %w = hk.param "w" from f32 : tensor<16x16xf64>
  hk.yield %w : tensor<16x16xf64>
}
hk.packed @wide : tensor<256x256xf32> {
  %w = hk.param "wide" from f32 : tensor<256x256xf64>
  hk.yield %w : tensor<256x256xf64>
}
func.func @chain(%x: !x {hk.name = "x"}) -> !x {
  %w = hk.packed.get @w : tensor<16x16xf32>
  %n = hk.rms_norm %x : !x
  %y = hk.linear %n, %w : !x, tensor<16x16xf32>
  return %y : !x
}
func.func @alone(%x: !x) -> !x {
  %y = hk.rms_norm %x : !x
  return %y : !x
}
func.func @loop(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = hk.packed.get @w : tensor<16x16xf32>
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%t = %x) -> (!x) {
    %n = hk.rms_norm %t : !x
    %y = hk.linear %n, %w : !x, tensor<16x16xf32>
    scf.yield %y : !x
  }
  return %r : !x
}
func.func @priced(%x: tensor<?x128x256xf32>) -> tensor<?x128x256xf32> {
  %w = hk.packed.get @wide : tensor<256x256xf32>
  %c = hk.attention %x, %x, %x {num_heads = 8 : i32} : tensor<?x128x256xf32>, tensor<?x128x256xf32>, tensor<?x128x256xf32>
  %y = hk.linear %c, %w : tensor<?x128x256xf32>, tensor<256x256xf32>
  return %y : tensor<?x128x256xf32>
}
func.func @project(%x: tensor<?x128x256xf32>) -> tensor<?x128x256xf32> {
  %w = hk.packed.get @wide : tensor<256x256xf32>
  %k = hk.linear %x, %w : tensor<?x128x256xf32>, tensor<256x256xf32>
  %c = hk.attention %k, %k, %k {num_heads = 8 : i32} : tensor<?x128x256xf32>, tensor<?x128x256xf32>, tensor<?x128x256xf32>
  return %c : tensor<?x128x256xf32>
}
func.func @layers(%x: tensor<?x128x256xf32>) -> tensor<?x128x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = hk.packed.get @wide : tensor<256x256xf32>
  %r = scf.for %l = %c0 to %c1 step %c1 iter_args(%t = %x) -> (tensor<?x128x256xf32>) {
    %k = hk.linear %t, %w : tensor<?x128x256xf32>, tensor<256x256xf32>
    %c = hk.attention %k, %k, %k {num_heads = 8 : i32} : tensor<?x128x256xf32>, tensor<?x128x256xf32>, tensor<?x128x256xf32>
    scf.yield %c : tensor<?x128x256xf32>
  }
  return %r : tensor<?x128x256xf32>
}
func.func @chain.oracle(%x: !x) -> !x attributes {hk.oracle_of = @chain} {
  return %x : !x
}
func.func private @helper(%x: !x) -> !x {
  return %x : !x
}
func.func private @external(%x: !x) -> !x
