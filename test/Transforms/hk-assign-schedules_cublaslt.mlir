// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-assign-schedules | FileCheck %s
// Which products are offered to cuBLASLt: those that are nothing else.

!x = tensor<?x128x256xf32>
!s = tensor<?x128x256xf16>

hk.packed @w : tensor<256x256xf32> {
  %z = hk.pack.zeros : tensor<256x256xf64>
  hk.yield %z : tensor<256x256xf64>
}
hk.packed @n : tensor<4x256xf32> {
  %z = hk.pack.zeros : tensor<4x256xf64>
  hk.yield %z : tensor<4x256xf64>
}
hk.packed @b : tensor<256xf32> {
  %z = hk.pack.zeros : tensor<256xf64>
  hk.yield %z : tensor<256xf64>
}

// CHECK-LABEL: func.func private @products(
func.func private @products(%x: !x, %s: !s, %v: tensor<?x128xi1>) -> (!s, !x, !s, !x, !x, !x, !x, tensor<?x128x4xf32>, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "safe"} {
  // CHECK: hk.kernel @bias({{.*}}, #hk.cublaslt<operands = f16>] {
  %0 = hk.kernel @bias(%a = %s : !s) -> (!s) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %b = hk.packed.get @b : tensor<256xf32>
    %l = hk.linear %c, %w, %b : !x, tensor<256x256xf32>, tensor<256xf32>
    %y = hk.cast %l : !x to !s
    hk.yield %y : !s
  }
  // CHECK: hk.kernel @residual({{.*}}, #hk.cublaslt<operands = f16>] skip_rows(2) {
  %1 = hk.kernel @residual(%a = %s : !s, %r = %x : !x, %m = %v : tensor<?x128xi1>) -> (!x) scope(row) skip_rows(2) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %y = hk.add %l, %r : !x, !x
    hk.yield %y : !x
  }
  // A residual of another type than the result.
  // CHECK: hk.kernel @mixed({{.*}} operands = f16{{[^>]*}}>] {
  // CHECK-NOT: cublaslt
  %2 = hk.kernel @mixed(%a = %s : !s, %r = %x : !x) -> (!s) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %z = hk.add %l, %r : !x, !x
    %y = hk.cast %z : !x to !s
    hk.yield %y : !s
  }
  // Input of f32.
  // CHECK: hk.kernel @wide(
  %3 = hk.kernel @wide(%a = %x : !x) -> (!x) scope(row) {
    %w = hk.packed.get @w : tensor<256x256xf32>
    %y = hk.linear %a, %w : !x, tensor<256x256xf32>
    hk.yield %y : !x
  }
  // An activation, a mask, and two sums.
  // CHECK: hk.kernel @activation(
  %4 = hk.kernel @activation(%a = %s : !s) -> (!x) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %y = hk.activation gelu_erf %l : !x
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @mask(
  %5 = hk.kernel @mask(%a = %s : !s, %m = %v : tensor<?x128xi1>) -> (!x) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %y = hk.mask_rows %l key_mask(%m) : !x, tensor<?x128xi1>
    hk.yield %y : !x
  }
  // CHECK: hk.kernel @sums(
  %6 = hk.kernel @sums(%a = %s : !s, %r = %x : !x) -> (!x) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @w : tensor<256x256xf32>
    %l = hk.linear %c, %w : !x, tensor<256x256xf32>
    %z = hk.add %l, %r : !x, !x
    %y = hk.add %z, %r : !x, !x
    hk.yield %y : !x
  }
  // Rows of less than 16 bytes.
  // CHECK: hk.kernel @narrow(
  %7 = hk.kernel @narrow(%a = %s : !s) -> (tensor<?x128x4xf32>) scope(row) {
    %c = hk.cast %a : !s to !x
    %w = hk.packed.get @n : tensor<4x256xf32>
    %y = hk.linear %c, %w : !x, tensor<4x256xf32>
    hk.yield %y : tensor<?x128x4xf32>
  }
  // A weight that is no parameter.
  // CHECK: hk.kernel @sum_only(
  %8 = hk.kernel @sum_only(%a = %x : !x, %r = %x : !x) -> (!x) scope(row) {
    %y = hk.add %a, %r : !x, !x
    hk.yield %y : !x
  }
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : !s, !x, !s, !x, !x, !x, !x, tensor<?x128x4xf32>, !x
}
