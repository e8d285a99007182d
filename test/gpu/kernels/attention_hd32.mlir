// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal attention of 64 heads of 32 over sequences of 1024, in f16.
!x = tensor<?x1024x2048xf16>
func.func @forward(%q: !x, %k: !x, %v: !x) -> !x {
  %y = hk.attention %q, %k, %v {num_heads = 64 : i32, causal} : !x, !x, !x
  return %y : !x
}
