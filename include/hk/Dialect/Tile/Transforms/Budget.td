// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_BUDGET_TD
#define HK_DIALECT_TILE_TRANSFORMS_BUDGET_TD

include "mlir/Pass/PassBase.td"

def TileBudget : Pass<"tile-budget", "::hk::tile::KernelOp"> {
  let summary = "estimate the registers of every role";
  let description = [{
    Walks each role (or a kernel without roles) with the values that are alive
    and adds up their registers: a frag has those of its layout, two for f16 in
    one, other values one, memory arguments two, a channel two for its slot and
    phase. An `mma` needs a few more for fragments of B. What an operation
    gives may take the registers of operands that die there.

    An analysis remark says where the most are alive. If that is more than a
    thread can have, the least of 255 and the registers of an SM divided by
    the threads of the CTA, rounded down to a multiple of 8, another one says
    that ptxas will spill. It is an estimate: ptxas counts.
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_BUDGET_TD
