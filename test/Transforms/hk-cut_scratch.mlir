// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A feed-forward network of 16 features and 64 hidden ones, blocks of 8 rows:
// the hidden block is 8 * 64 * 4 = 2048 bytes, a narrow one 512.
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{rows=8 scratch-limit=2560}))" | FileCheck %s -check-prefix=FITS
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{rows=8 scratch-limit=2559}))" | FileCheck %s -check-prefix=CUT
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{rows=8 scratch-limit=2559}))" -remarks-filter="hk-cut" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK

!x = tensor<?x32x16xf32>
!h = tensor<?x32x64xf32>

hk.packed @up : tensor<64x16xf32> {
  %z = hk.pack.zeros : tensor<64x16xf64>
  hk.yield %z : tensor<64x16xf64>
}
hk.packed @down : tensor<16x64xf32> {
  %z = hk.pack.zeros : tensor<16x64xf64>
  hk.yield %z : tensor<16x64xf64>
}

// The most that lives at once is the normalised row beside the hidden one.
// FITS-LABEL: func.func @ffn(
// FITS:         hk.kernel @norm_linear(
// FITS-NOT:     hk.kernel

// One byte less: the cut goes where a narrow row crosses, not a hidden one.
// The norm is its own kernel; the activation is done in place, and the sum in
// the memory of the result.
// CUT-LABEL:  func.func @ffn(
// CUT:          hk.kernel @norm(
// CUT:          hk.kernel @linear(
// CUT:            hk.linear
// CUT:            hk.activation
// CUT:            hk.linear
// CUT:            hk.add
// CUT-NOT:      hk.kernel
// REMARK: remark: [Passed] Cut | Category:hk-cut | Function=ffn | Remark="cut before hk.linear: one kernel would need 2560 bytes of scratch for 8 rows, above the limit of 2559"
// REMARK: remark: [Analysis] Kernel {{.*}}"kernel @norm: 1 operations, 0 bytes of scratch a row"
// REMARK: remark: [Analysis] Kernel {{.*}}"kernel @linear: 4 operations, 256 bytes of scratch a row"
func.func @ffn(%x: !x) -> !x {
  %up = hk.packed.get @up : tensor<64x16xf32>
  %down = hk.packed.get @down : tensor<16x64xf32>
  %n = hk.rms_norm %x : !x
  %h = hk.linear %n, %up : !x, tensor<64x16xf32>
  %a = hk.activation gelu_erf %h : !h
  %y = hk.linear %a, %down : !h, tensor<16x64xf32>
  %s = hk.add %x, %y : !x, !x
  return %s : !x
}
