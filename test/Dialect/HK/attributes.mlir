// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s | hk-opt | FileCheck %s
// RUN: hk-opt %s --mlir-print-op-generic | hk-opt | FileCheck %s

// CHECK-LABEL: func @attributes
func.func @attributes() attributes {
  // CHECK-SAME: a.cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
  a.cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>,
  // CHECK-SAME: b.cpu = #hk.cpu<isa = "x86-64", rows = 1, mr = 1, nr = 1, keys = 1>
  b.cpu = #hk.cpu<keys = 1, nr = 1, mr = 1, rows = 1, isa = "x86-64">,
  // CHECK-SAME: c.loops = #hk.loops<isa = "x86-64", rows = 128>
  c.loops = #hk.loops<isa = "x86-64", rows = 128>,
  // CHECK-SAME: d.panels = tensor<8x16xf32, #hk.panels<8>>
  d.panels = tensor<8x16xf32, #hk.panels<8>>,
  // CHECK-SAME: d.tiles = tensor<8x16xf16, #hk.tiles<rows = 64, columns = 128>>
  d.tiles = tensor<8x16xf16, #hk.tiles<columns = 128, rows = 64>>,
  // CHECK-SAME: d1.cuda = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
  d1.cuda = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>,
  // CHECK-SAME: d2.cuda = #hk.cuda<arch = "sm_120", rows = 7, units = 7, columns = 32, heads = 2, block = 1, depth = 1, keys = 1, stages = 1, operands = tf32x3>
  d2.cuda = #hk.cuda<operands = tf32x3, stages = 1, keys = 1, depth = 1, block = 1, heads = 2, columns = 32, units = 7, rows = 7, arch = "sm_120">,
  // CHECK-SAME: d3.cublaslt = #hk.cublaslt<operands = f16>
  d3.cublaslt = #hk.cublaslt<operands = f16>,
  // CHECK-SAME: d4.cuda = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = bf16, mma = wgmma>
  d4.cuda = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = bf16, mma = wgmma, ctas = 0>,
  // CHECK-SAME: d5.cuda = #hk.cuda<arch = "sm_90a", rows = 192, units = 12, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, ctas = 2>
  d5.cuda = #hk.cuda<ctas = 2, mma = wgmma, arch = "sm_90a", rows = 192, units = 12, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>,
  // CHECK-SAME: d6.cuda = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
  d6.cuda = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = sync>,
  // CHECK-SAME: e.place = #hk.workspace<0>
  e.place = #hk.workspace<0>,
  // CHECK-SAME: f.place = #hk.result<1>
  f.place = #hk.result<1>} {
  return
}
