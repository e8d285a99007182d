// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_TRANSFORMS_CHECK_TD
#define HK_TRANSFORMS_CHECK_TD

include "mlir/Pass/PassBase.td"

def Check : Pass<"hk-check", "::mlir::ModuleOp"> {
  let summary = "check that a module is a network that can be compiled";
  let description = [{
    The first thing a network meets: a clear error where something is wrong or
    not supported, so that later passes need not ask. Changes nothing.

    A module holds public functions, one at least, which
    - have inputs and results, all with the same batch B as dimension 0, dynamic
      or not, and static otherwise: activations `[B, S, D]` of f16, bf16 or f32,
      `lengths` `[B]` of i32, and key masks `[B, S]` of i1. Results are
      activations;
    - consist of operations of hk on activations of batch B, and of loops with
      constant bounds, lower below upper, and a step of one (`scf.for`), as
      `hk-roll-layers` makes them;
    - compute each result: an input, a parameter, or the same value twice, is
      not one.

    Every parameter, over the whole module, has one stored type, which is that
    of f16, bf16 or f32 elements. Oracles (functions with `hk.oracle_of`) are
    made by the compiler, and not checked.
  }];
}

#endif // HK_TRANSFORMS_CHECK_TD
