// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-cut -hk-assign-schedules | FileCheck %s
// RUN: hk-opt %s -hk-cut -remarks-filter-passed="hk-cut" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{sequence-batch=0}))" | FileCheck %s -check-prefix=NONE
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{sequence-batch=31}))" | FileCheck %s -check-prefix=LESS
// Two rows of 64 features are alive at once: 128 * 2 * 256 bytes.
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{scratch-limit=65536}))" | FileCheck %s
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{scratch-limit=65535}))" | FileCheck %s -check-prefix=NONE

// With enough sequences for all workers, keys and values stay in the kernel
// that computes them, and a workgroup has all rows, whatever a block would be.
// REMARK: remark: [Passed] Sequence | Category:hk-cut | Function=large | Remark="a workgroup of kernel @norm_attention_norm computes the keys and values that its rows see"
// CHECK-LABEL: func.func @large(
// CHECK:         hk.kernel @norm_attention_norm({{.*}}) -> (tensor<32x128x64xf32>) scope(sequence)
// CHECK-NOT:     hk.kernel
// NONE-LABEL:  func.func @large(
// NONE:          hk.kernel @norm({{.*}} scope(row)
// NONE:          hk.kernel @attention_norm({{.*}} scope(row)
// REMARK: remark: [Passed] Cut | Category:hk-cut | Function=small
func.func @large(%x: tensor<32x128x64xf32>) -> tensor<32x128x64xf32> {
  %h = hk.rms_norm %x : tensor<32x128x64xf32>
  %c = hk.attention %h, %h, %h {num_heads = 4 : i32} : tensor<32x128x64xf32>, tensor<32x128x64xf32>, tensor<32x128x64xf32>
  %s = hk.add %x, %c : tensor<32x128x64xf32>, tensor<32x128x64xf32>
  %y = hk.rms_norm %s : tensor<32x128x64xf32>
  return %y : tensor<32x128x64xf32>
}

// A small batch shares the rows of a sequence out, and so does one that is
// not known.
// CHECK-LABEL: func.func @small(
// CHECK:         hk.kernel @norm({{.*}} scope(row)
// CHECK:         hk.kernel @attention({{.*}} scope(row)
// LESS-LABEL:  func.func @small(
// LESS:          hk.kernel @norm_attention({{.*}} scope(sequence)
func.func @small(%x: tensor<31x128x64xf32>) -> tensor<31x128x64xf32> {
  %h = hk.rms_norm %x : tensor<31x128x64xf32>
  %c = hk.attention %h, %h, %h {num_heads = 4 : i32} : tensor<31x128x64xf32>, tensor<31x128x64xf32>, tensor<31x128x64xf32>
  return %c : tensor<31x128x64xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK:         hk.kernel @norm({{.*}} scope(row)
// CHECK:         hk.kernel @attention({{.*}} scope(row)
func.func @dynamic(%x: tensor<?x128x64xf32>) -> tensor<?x128x64xf32> {
  %h = hk.rms_norm %x : tensor<?x128x64xf32>
  %c = hk.attention %h, %h, %h {num_heads = 4 : i32} : tensor<?x128x64xf32>, tensor<?x128x64xf32>, tensor<?x128x64xf32>
  return %c : tensor<?x128x64xf32>
}

// Without attention in it, a chain is row-wise for any batch.
// CHECK-LABEL: func.func @rows(
// CHECK:         hk.kernel @norm({{.*}} scope(row)
func.func @rows(%x: tensor<64x128x64xf32>) -> tensor<64x128x64xf32> {
  %h = hk.rms_norm %x : tensor<64x128x64xf32>
  return %h : tensor<64x128x64xf32>
}

// A view of a value that does not leave its kernel is a view in there.
// CHECK-LABEL: func.func @views(
// CHECK:         hk.kernel @norm_attention({{.*}} scope(sequence)
// CHECK-NEXT:      %[[H:.*]] = hk.rms_norm
// CHECK-NEXT:      %[[Q:.*]]:3 = hk.split %[[H]]
// CHECK-NEXT:      hk.attention %[[Q]]#0, %[[Q]]#1, %[[Q]]#2
// CHECK-NEXT:      hk.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @views(%x: tensor<64x8x48xf32>) -> tensor<64x8x16xf32> {
  %h = hk.rms_norm %x : tensor<64x8x48xf32>
  %q, %k, %v = hk.split %h : tensor<64x8x48xf32> -> tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>
  %c = hk.attention %q, %k, %v {num_heads = 4 : i32} : tensor<64x8x16xf32>, tensor<64x8x16xf32>, tensor<64x8x16xf32>
  return %c : tensor<64x8x16xf32>
}
