// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal attention of four heads of 32 over sequences of 128.
!x = tensor<?x128x128xf32>
func.func @forward(%q: !x, %k: !x, %v: !x) -> !x {
  %y = hk.attention %q, %k, %v {num_heads = 4 : i32, causal} : !x, !x, !x
  return %y : !x
}
