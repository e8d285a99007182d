// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which warp runs when. Warps take turns; when none can move, the oldest
// asynchronous copy completes, and without one the cluster is deadlocked.
#include "launch.h"

#include <algorithm>
#include <random>
#include <sstream>

namespace hk::emulator {
namespace {

// Long enough that switching costs nothing, short enough that a warp that polls
// does not take the whole budget.
constexpr uint32_t kSlice = 4096;
constexpr uint32_t kLongestRandomSlice = 64;

const char *describe(Lane state) {
  switch (state) {
  case Lane::AtWarp:
    return "waits for lanes of its warp";
  case Lane::AtBarrier:
    return "waits at a barrier";
  case Lane::AtMbarrier:
    return "waits for an mbarrier";
  case Lane::AtCluster:
    return "waits for the cluster";
  default:
    return "runs";
  }
}

void describeWarp(std::ostringstream &out, const Launch &launch,
                  const Warp &warp) {
  for (unsigned s = 0; s < kLaneStates; ++s) {
    uint32_t left = warp.in[s];
    if (static_cast<Lane>(s) == Lane::Exited)
      continue;
    while (left) {
      const unsigned lane = firstLane(left);
      uint32_t same = 0;
      eachLane(left, [&](unsigned other) {
        same |= warp.pc[other] == warp.pc[lane] ? 1u << other : 0;
      });
      left &= ~same;
      const TextInstruction &at = *launch.program->code[warp.pc[lane]].text;
      out << "\n  CTA (" << warp.cta->id[0] << ", " << warp.cta->id[1] << ", "
          << warp.cta->id[2] << ") warp " << warp.index << " lanes 0x"
          << std::hex << same << std::dec << ": "
          << describe(static_cast<Lane>(s)) << " at line " << at.line << " '"
          << at.text << "'";
      if (static_cast<Lane>(s) == Lane::AtMbarrier && warp.waitsFor[lane])
        out << ", phase " << warp.waitsFor[lane]->phase << " lacks "
            << warp.waitsFor[lane]->pending << " arrivals and "
            << warp.waitsFor[lane]->transactions << " bytes";
    }
  }
}

[[noreturn]] void deadlock(const Launch &launch, const Cluster &cluster) {
  std::ostringstream out;
  out << "kernel '" << launch.program->text->name
      << "': expects every thread to end, but got a deadlock:";
  for (const auto &cta : cluster.ctas) {
    for (const auto &warp : cta->warps)
      describeWarp(out, launch, *warp);
    for (unsigned id = 0; id < 16; ++id)
      if (cta->barriers[id].expected)
        out << "\n  barrier " << id << " of CTA (" << cta->id[0] << ", "
            << cta->id[1] << ", " << cta->id[2] << ") has "
            << cta->barriers[id].arrived << " of " << cta->barriers[id].expected
            << " threads";
  }
  throw Fault(out.str());
}

} // namespace

void runCluster(Launch &launch, Cluster &cluster) {
  Execution execution(launch, cluster);
  std::vector<Warp *> warps;
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps)
      warps.push_back(warp.get());
  std::mt19937_64 random(launch.options.seed);
  for (;;) {
    bool moved = false, alive = false;
    if (launch.options.seed)
      std::shuffle(warps.begin(), warps.end(), random);
    for (Warp *warp : warps) {
      const uint32_t slice =
          launch.options.seed
              ? 1 + static_cast<uint32_t>(random() % kLongestRandomSlice)
              : kSlice;
      moved |= execution.run(*warp, slice);
      alive |= warp->alive() != 0;
      if (launch.statistics.warpInstructions > launch.options.budget)
        throw Fault("kernel '" + launch.program->text->name +
                    "': expects an end after at most " +
                    std::to_string(launch.options.budget) +
                    " instructions of warps, but got an endless loop near "
                    "line " +
                    std::to_string(execution.instruction->text->line));
    }
    if (moved)
      continue;
    if (!cluster.pending.empty() && !alive)
      throw Fault("kernel '" + launch.program->text->name +
                  "': expects every asynchronous copy into shared memory to be "
                  "waited for, but got the end of the cluster with " +
                  std::to_string(cluster.pending.size()) + " in flight");
    if (!cluster.pending.empty()) {
      // Taken off first: completing it may wake who issues the next.
      const std::function<void()> complete = std::move(cluster.pending.front());
      cluster.pending.pop_front();
      complete();
      continue;
    }
    if (alive)
      deadlock(launch, cluster);
    return;
  }
}

} // namespace hk::emulator
