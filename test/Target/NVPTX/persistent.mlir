// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: hk-compile, hk-run
// RUN: hk-compile --target sm_90a --from=kernels %s -o %t.hkm
// RUN: hk-run %t.hkm --dump-metadata | tr -d '\n ' | FileCheck %s

// The module says how many items there are, four blocks of 64 rows a sequence, and
// how many CTAs of a multiprocessor's share them; four warps compute and four copy.
// CHECK: "schedule":"#hk.cuda<{{[^>]*}}persistent=true>","grid":{"mul":4,"add":0,"div":1,"times":1}
// CHECK-SAME: "threads":256,"cluster":1,
// CHECK-SAME: "persistent":2,

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 4, operands = f16, mma = wgmma, ctas = 2, persistent = true>
!x = tensor<?x256x64xf16>
!f = tensor<?x256x64xf32>
func.func private @forward(!x) -> !x
func.func private @forward.sm_90a.fused(%x: !x) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @forward, hk.rank = 0 : i64, hk.role = "candidate"} {
  %y = hk.kernel @attention(%a = %x : !x) -> (!x) scope(row) schedules [#s] {
    %q = hk.cast %a : !x to !f
    %c = hk.attention %q, %q, %q {causal, num_heads = 1 : i32} : !f, !f, !f
    %r = hk.cast %c : !f to !x
    hk.yield %r : !x
  }
  return %y : !x
}
