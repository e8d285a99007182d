// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HK_DIALECT_TILE_TRANSFORMS_CHECKCHANNELS_TD
#define HK_DIALECT_TILE_TRANSFORMS_CHECKCHANNELS_TD

include "mlir/Pass/PassBase.td"

def TileCheckChannels : Pass<"tile-check-channels", "::hk::tile::KernelOp"> {
  let summary = "check that a kernel neither hangs nor reads a slot too late";
  let description = [{
    Runs the two roles as sequential processes over bounded channels, with
    nothing in mind but counts, and emits an error for

    - a deadlock: a wait or an acquire that nothing can end,
    - more slots held at once than there are,
    - a use of a slot after its release, a release without a wait, a copy
      after its commit, a commit without an acquire,
    - slots that are not committed, not waited for or not released when the
      kernel ends.

    One order of steps is enough. A channel is written by one process and read
    by one (all units run the same program and a slot is empty once all have
    released it), both block, and neither asks whether it would: that is a Kahn
    process network, in which what happens does not depend on the order.

    Control flow does not depend on what is in the channels, so a role is a
    fixed sequence once the trip counts of its loops and its conditions are
    chosen. A loop with a constant trip count of at most 4 has that; others run
    0 to 3 times, also with two counts in turn, as a loop whose bound depends
    on the one around it does. Loops whose bounds are computed alike, in
    whichever role, get the same count, and likewise conditions. All
    combinations are tried up to 1024; where there are more, all those in
    which at most one loop or condition differs from the others.

    A failure here is a fault of the passes before, not of the network.
  }];
}

#endif // HK_DIALECT_TILE_TRANSFORMS_CHECKCHANNELS_TD
