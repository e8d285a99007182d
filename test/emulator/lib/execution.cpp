// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the lanes of a warp run together, part and meet.
#include "barriers.h"

namespace hk::emulator {

namespace {

/// Lanes that have arrived in the current phase of barrier.cluster.
uint32_t arrivedNow(const Warp &warp, const Cluster &cluster) {
  uint32_t mask = 0;
  eachLane(warp.clusterArrived, [&](unsigned lane) {
    mask |= warp.clusterPhase[lane] == cluster.phase ? 1u << lane : 0;
  });
  return mask;
}

} // namespace

void Execution::regroup() {
  // The lowest place first: lanes that left a loop wait for those inside.
  // After a slice that the others spent waiting, another place's turn comes.
  uint32_t places[kWarpSize];
  unsigned count = 0;
  uint32_t lowest = ~uint32_t(0);
  const bool rotates = warp->rotation != 0;
  eachLane(warp->running, [&](unsigned lane) {
    const uint32_t at = warp->pc[lane];
    lowest = at < lowest ? at : lowest;
    if (!rotates)
      return;
    unsigned i = 0;
    while (i < count && places[i] != at)
      ++i;
    if (i == count)
      places[count++] = at;
  });
  pc = rotates ? places[warp->rotation % count] : lowest;
  group = 0;
  eachLane(warp->running, [&](unsigned lane) {
    group |= warp->pc[lane] == pc ? 1u << lane : 0;
  });
}

void Execution::flush(uint32_t to) {
  eachLane(group, [&](unsigned lane) { warp->pc[lane] = to; });
}

bool Execution::run(Warp &which, uint32_t slice) {
  warp = &which;
  if (!warp->running)
    return false;
  const std::vector<Instruction> &code = launch.program->code;
  regroup();
  yielded = false;
  uint32_t taken = 0;
  while (taken < slice && !yielded) {
    if (pc >= code.size()) {
      instruction = &code.back();
      fault(group, "expects 'ret' at the end of the kernel, but the thread ran "
                   "past its last instruction");
    }
    instruction = &code[pc];
    uint32_t mask = group;
    if (instruction->predicate >= 0) {
      const Source predicate{false, false,
                             static_cast<uint32_t>(instruction->predicate)};
      const uint64_t *p = read(predicate, mask);
      uint32_t taking = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        taking |= static_cast<uint32_t>(p[lane] & 1) << lane;
      mask &= instruction->predicateNegated ? ~taking : taking;
    }
    ++taken;
    launch.statistics.threadInstructions +=
        static_cast<unsigned>(__builtin_popcount(group));
    next = pc + 1;
    diverged = false;
    if (mask)
      instruction->run(*this, *instruction, mask);
    if (!diverged) {
      pc = next;
      if (group == warp->running)
        continue;
      flush(pc);
    }
    if (!warp->running)
      break;
    regroup();
  }
  if (group && !diverged)
    flush(pc);
  // Whoever polls gives way to the rest of its warp.
  warp->rotation = yielded || taken == slice ? warp->rotation + 1 : 0;
  launch.statistics.warpInstructions += taken;
  return taken > 0;
}

void Execution::branch(uint32_t mask, uint32_t target) {
  if (mask == group) {
    next = target;
    return;
  }
  eachLane(group, [&](unsigned lane) {
    warp->pc[lane] = mask >> lane & 1 ? target : pc + 1;
  });
  diverged = true;
}

void Execution::block(uint32_t mask, Lane state) {
  eachLane(group, [&](unsigned lane) {
    warp->pc[lane] = mask >> lane & 1 ? pc : pc + 1;
  });
  warp->running &= ~mask;
  warp->state(state) |= mask;
  diverged = true;
}

void Execution::exit(uint32_t mask) {
  // Who waits for this kernel also relies on those in front of it.
  if (early(mask))
    fault(early(mask), "expects griddepcontrol.wait before the thread ends, "
                       "but got none");
  block(mask, Lane::Exited);
  eachLane(mask, [&](unsigned lane) {
    for (const std::vector<BulkStore> &stores : warp->async[lane].storeGroups)
      if (!stores.empty())
        fault(1u << lane, "expects the thread to wait for its bulk copies out "
                          "of shared memory before it ends "
                          "(cp.async.bulk.wait_group), but got one in flight");
    if (!warp->async[lane].openStores.empty())
      fault(1u << lane, "expects cp.async.bulk.commit_group after bulk copies, "
                        "but got the thread's end");
  });
  if (!warp->alive() &&
      (!warp->openWgmma.empty() || !warp->wgmmaGroups.empty()))
    fault(mask, "expects wgmma.wait_group for every wgmma, but got the warp's "
                "end");
  // A thread that has ended no longer counts, whether it arrived or not.
  cluster.arrived -= static_cast<uint32_t>(
      __builtin_popcount(mask & arrivedNow(*warp, cluster)));
  completeClusterBarrier(cluster);
}

void Execution::wake(Warp &warp, uint32_t mask, Lane from, bool again) {
  mask &= warp.state(from);
  warp.state(from) &= ~mask;
  warp.running |= mask;
  if (!again)
    eachLane(mask, [&](unsigned lane) { ++warp.pc[lane]; });
}

bool Execution::converge(uint32_t &mask, uint32_t members) {
  if ((mask & members) != mask)
    fault(mask & ~members, "expects the executing thread in the member mask, "
                           "but got a mask without it");
  uint32_t here = mask;
  eachLane(warp->state(Lane::AtWarp), [&](unsigned lane) {
    here |= warp->pc[lane] == pc ? 1u << lane : 0;
  });
  if ((here & members) != members) {
    if (members & warp->exited())
      fault(members & warp->exited(),
            "expects all threads of the member mask to reach the instruction, "
            "but this one has exited");
    block(mask, Lane::AtWarp);
    return false;
  }
  const uint32_t waiting = here & ~mask;
  if (waiting) {
    wake(*warp, waiting, Lane::AtWarp, true);
    group |= waiting;
  }
  mask = here;
  return true;
}

} // namespace hk::emulator
