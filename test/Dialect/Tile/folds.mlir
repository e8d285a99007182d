// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @whole(
// CHECK-SAME: %[[X:.*]]: !tile.frag<16x64xf32>
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @whole(%x: !tile.frag<16x64xf32>) -> (!tile.frag<16x64xf32>, !tile.frag<16x64xf32>) {
  %0 = tile.slice %x[0] : !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
  %1 = tile.concat %x : !tile.frag<16x64xf32> -> !tile.frag<16x64xf32>
  return %0, %1 : !tile.frag<16x64xf32>, !tile.frag<16x64xf32>
}
