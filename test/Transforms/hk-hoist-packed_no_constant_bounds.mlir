// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-hoist-packed | FileCheck %s
// RUN: hk-opt %s -hk-hoist-packed -remarks-filter-missed=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x4x16xf32>
!w = tensor<16x16xf32>

// CHECK-NOT:   hk.packed
// CHECK-LABEL: func.func @bounds(
// CHECK:         hk.param "layers.{}.w"[%{{.*}}] : tensor<16x16xf32>
// REMARK: remark: [Missed] NotHoisted {{.*}}"the layer of parameter "layers.{}.w" is not the index of a loop with constant bounds and step 1; it stays in the function"
func.func @bounds(%x: !x, %n: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %l = %c0 to %n step %c1 iter_args(%t = %x) -> (!x) {
    %w = hk.param "layers.{}.w"[%l] : !w
    %y = hk.linear %t, %w : !x, !w
    scf.yield %y : !x
  }
  return %r : !x
}

// A layer is the index of one loop.
// CHECK-LABEL: func.func @two_loops(
// CHECK:         hk.packed.get @a.v[
// CHECK:         hk.packed.get @b.v[
// CHECK:         hk.pack.add
// REMARK: remark: [Missed] NotHoisted {{.*}}"hk.pack.add depends on the indices of two loops; it stays in the function"
func.func @two_loops(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %x) -> (!x) {
    %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %s) -> (!x) {
      %a = hk.param "a.{}.v"[%i] : tensor<16xf32>
      %b = hk.param "b.{}.v"[%j] : tensor<16xf32>
      %g = hk.pack.add %a, %b : tensor<16xf32>
      %y = hk.rms_norm %t, %g : !x, tensor<16xf32>
      scf.yield %y : !x
    }
    scf.yield %q : !x
  }
  return %r : !x
}
