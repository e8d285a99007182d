// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -hk-assign-schedules -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{isas=x86-64-v3}))" | FileCheck %s -check-prefix=ONE
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-assign-schedules{scratch-limit=8192}))" | FileCheck %s -check-prefix=LIMIT
// RUN: hk-opt %s -hk-assign-schedules -remarks-filter="hk-assign-schedules" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

// 64 rows where they divide the sequence, and a schedule for every level.
// CHECK-LABEL: func.func @s128(
// CHECK:         scope(row) schedules [
// CHECK-SAME:      #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>,
// CHECK-SAME:      #hk.cpu<isa = "x86-64-v3", rows = 64, mr = 6, nr = 16, keys = 64>,
// CHECK-SAME:      #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>] {
// ONE-LABEL:   func.func @s128(
// ONE:           schedules [#hk.cpu<isa = "x86-64-v3", rows = 64, mr = 6, nr = 16, keys = 64>] {
// REMARK: remark: [Analysis] Schedule | Category:hk-assign-schedules | Function=s128 | Remark="kernel @k: #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>"
func.func @s128(%x: tensor<?x128x64xf32>) -> tensor<?x128x64xf32> {
  %y = hk.kernel @k(%a = %x : tensor<?x128x64xf32>) -> (tensor<?x128x64xf32>) scope(row) {
    %r = hk.rms_norm %a : tensor<?x128x64xf32>
    hk.yield %r : tensor<?x128x64xf32>
  }
  return %y : tensor<?x128x64xf32>
}

// A short sequence is one block; no tile is taller.
// CHECK-LABEL: func.func @s7(
// CHECK:         #hk.cpu<isa = "x86-64-v4", rows = 7, mr = 7, nr = 32, keys = 7>,
// CHECK-SAME:    #hk.cpu<isa = "x86-64-v3", rows = 7, mr = 6, nr = 16, keys = 7>,
func.func @s7(%x: tensor<?x7x64xf32>) -> tensor<?x7x64xf32> {
  %y = hk.kernel @k(%a = %x : tensor<?x7x64xf32>) -> (tensor<?x7x64xf32>) scope(row) {
    %r = hk.rms_norm %a : tensor<?x7x64xf32>
    hk.yield %r : tensor<?x7x64xf32>
  }
  return %y : tensor<?x7x64xf32>
}

// Wide: 128 rows. Between the linears, 1024 features of 4 bytes a row; a limit
// of 8 KB halves the rows down to one register tile.
// CHECK-LABEL: func.func @wide(
// CHECK:         #hk.cpu<isa = "x86-64-v4", rows = 128, mr = 12, nr = 32, keys = 64>
// LIMIT-LABEL: func.func @wide(
// LIMIT:         #hk.cpu<isa = "x86-64-v4", rows = 16, mr = 12, nr = 32, keys = 64>,
// LIMIT-SAME:    #hk.cpu<isa = "x86-64-v3", rows = 8, mr = 6, nr = 16, keys = 64>,
// LIMIT-SAME:    #hk.cpu<isa = "x86-64", rows = 4, mr = 4, nr = 8, keys = 64>]
hk.packed @w : tensor<1024x1024xf32> {
  %z = hk.pack.zeros : tensor<1024x1024xf64>
  hk.yield %z : tensor<1024x1024xf64>
}
func.func @wide(%x: tensor<?x256x1024xf32>) -> tensor<?x256x1024xf32> {
  %y = hk.kernel @k(%a = %x : tensor<?x256x1024xf32>) -> (tensor<?x256x1024xf32>) scope(row) {
    %w = hk.packed.get @w : tensor<1024x1024xf32>
    %r = hk.linear %a, %w : tensor<?x256x1024xf32>, tensor<1024x1024xf32>
    %s = hk.linear %r, %w : tensor<?x256x1024xf32>, tensor<1024x1024xf32>
    hk.yield %s : tensor<?x256x1024xf32>
  }
  return %y : tensor<?x256x1024xf32>
}

// A matrix: a sequence of one row.
// CHECK-LABEL: func.func @matrix(
// CHECK:         #hk.cpu<isa = "x86-64-v4", rows = 1, mr = 1, nr = 32, keys = 1>
func.func @matrix(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = hk.kernel @k(%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) scope(row) {
    %r = hk.rms_norm %a : tensor<?x64xf32>
    hk.yield %r : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// A kernel that owns whole sequences has all rows, and no limit cuts them.
// CHECK-LABEL: func.func @sequence(
// CHECK:         #hk.cpu<isa = "x86-64-v4", rows = 128, mr = 12, nr = 32, keys = 64>
// LIMIT-LABEL: func.func @sequence(
// LIMIT:         #hk.cpu<isa = "x86-64-v4", rows = 128, mr = 12, nr = 32, keys = 64>
func.func @sequence(%x: tensor<64x128x64xf32>) -> tensor<64x128x64xf32> {
  %y = hk.kernel @k(%a = %x : tensor<64x128x64xf32>) -> (tensor<64x128x64xf32>) scope(sequence) {
    %h = hk.rms_norm %a : tensor<64x128x64xf32>
    %c = hk.attention %h, %h, %h {num_heads = 4 : i32} : tensor<64x128x64xf32>, tensor<64x128x64xf32>, tensor<64x128x64xf32>
    hk.yield %c : tensor<64x128x64xf32>
  }
  return %y : tensor<64x128x64xf32>
}

// The oracle: plain loops over a whole sequence, at the lowest level.
// CHECK-LABEL: func.func @s128.oracle(
// CHECK:         scope(sequence) schedules [#hk.loops<isa = "x86-64", rows = 128>] {
func.func @s128.oracle(%x: tensor<?x128x64xf64>) -> tensor<?x128x64xf64> attributes {hk.oracle_of = @s128} {
  %y = hk.kernel @k(%a = %x : tensor<?x128x64xf64>) -> (tensor<?x128x64xf64>) scope(sequence) {
    %r = hk.rms_norm %a : tensor<?x128x64xf64>
    hk.yield %r : tensor<?x128x64xf64>
  }
  return %y : tensor<?x128x64xf64>
}
