// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -hk-check | FileCheck %s
// A network stays what it is after it was checked, and after it was rolled.
// RUN: hk-opt %s -split-input-file -hk-check -hk-roll-layers -hk-check | FileCheck %s

!x = tensor<?x8x16xf16>
!w = tensor<16x16xf16>
!n = tensor<?xi32>
!m = tensor<?x8xi1>

// CHECK-LABEL: func.func @everything(
func.func @everything(%x: !x, %n: !n, %m: !m) -> (!x, tensor<?x8x8xf32>) {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : !x, !w
  %1 = hk.mask_rows %0 lengths(%n) : !x, !n
  %w1 = hk.param "1.w" : !w
  %2 = hk.linear %1, %w1 : !x, !w
  %3 = hk.mask_rows %2 lengths(%n) : !x, !n
  %4 = hk.attention %3, %3, %3 key_mask(%m) {num_heads = 2 : i32} : !x, !x, !x, !m
  %5 = hk.cast %4 : !x to tensor<?x8x16xf32>
  %6, %7 = hk.split %5 : tensor<?x8x16xf32> -> tensor<?x8x8xf32>, tensor<?x8x8xf32>
  %w = hk.param "w" from bf16 : tensor<8x8xf32>
  %z = hk.pack.zeros : tensor<8xf32>
  %8 = hk.linear %6, %w, %z : tensor<?x8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  %9 = hk.mul %8, %7 : tensor<?x8x8xf32>, tensor<?x8x8xf32>
  return %4, %9 : !x, tensor<?x8x8xf32>
}

// A second function with another batch, and one parameter of the first.
// CHECK-LABEL: func.func @static(
func.func @static(%x: tensor<4x9x16xbf16>) -> tensor<4x9x16xbf16> {
  %w0 = hk.param "0.w" : !w
  %0 = hk.linear %x, %w0 : tensor<4x9x16xbf16>, !w
  return %0 : tensor<4x9x16xbf16>
}

// An oracle is not asked.
// CHECK-LABEL: func.func @oracle(
func.func @oracle(%x: tensor<4x9xf64>) -> tensor<4x9xf64> attributes {hk.oracle_of = @static} {
  return %x : tensor<4x9xf64>
}
