// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: hk-compile, hk-run, emulated-cuda
//
// Kernels that differ in their parameters alone have one code: of four products that
// multiply f16 the two in the middle, which read f16 and write f16, and of f32 all.
// The first reads f32 and the last writes it.
// RUN: hk-compile --target sm_80 --candidates=1 --oracle %s -o %t.hkm
// RUN: hk-run %t.hkm --dump-metadata | grep -E '"(name|kernel)": "linear' | FileCheck %s
// CHECK: "name": "linear_1"
// CHECK-NEXT: "kernel": "[[MIDDLE:linear[_0-9]*]]"
// CHECK: "name": "linear_2"
// CHECK-NEXT: "kernel": "[[MIDDLE]]"
// CHECK: "name": "linear_4"
// CHECK-NEXT: "kernel": "[[EXACT:linear[_0-9]*]]"
// CHECK: "name": "linear_5"
// CHECK-NEXT: "kernel": "[[EXACT]]"
// CHECK: "name": "linear_6"
// CHECK-NEXT: "kernel": "[[EXACT]]"
// CHECK: "name": "linear_7"
// CHECK-NEXT: "kernel": "[[EXACT]]"
//
// Each of them is in the PTX once.
// RUN: hk-compile --target sm_80 --candidates=1 --emit=ptx %s | FileCheck %s --check-prefix=PTX
// PTX-COUNT-5: .entry linear
// PTX-NOT: .entry
//
// And each dispatch has its own parameters.
// DEFINE: %{emulate} = env HK_CUDA_DRIVER=%emulated_cuda HK_EMULATOR_SM=8.0 hk-run %t.hkm --device cuda --batch 3 --check=all
// RUN: %{emulate} --plan forward.sm_80.safe
// RUN: %{emulate} --plan forward.sm_80.reference
func.func @forward(%x: tensor<?x4x16xf32> {hk.name = "x"}) -> tensor<?x4x16xf32> {
  %w0 = hk.param "query.weight" : tensor<16x16xf32>
  %w1 = hk.param "key.weight" : tensor<16x16xf32>
  %w2 = hk.param "value.weight" : tensor<16x16xf32>
  %w3 = hk.param "out.weight" : tensor<16x16xf32>
  %0 = hk.linear %x, %w0 : tensor<?x4x16xf32>, tensor<16x16xf32>
  %1 = hk.linear %0, %w1 : tensor<?x4x16xf32>, tensor<16x16xf32>
  %2 = hk.linear %1, %w2 : tensor<?x4x16xf32>, tensor<16x16xf32>
  %3 = hk.linear %2, %w3 : tensor<?x4x16xf32>, tensor<16x16xf32>
  return %3 : tensor<?x4x16xf32>
}
