// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of other sizes than a CTA: the threads of a cluster, and of a warp.
#include "barriers.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

uint32_t aliveThreads(const Cluster &cluster) {
  uint32_t count = 0;
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps)
      count += static_cast<uint32_t>(__builtin_popcount(warp->alive()));
  return count;
}

void arrive(Execution &x, const Instruction &i, uint32_t mask) {
  Warp &warp = *x.warp;
  if (i.flags && !x.converge(mask, warp.alive()))
    return;
  if (mask & warp.clusterArrived)
    x.fault(mask & warp.clusterArrived,
            "expects barrier.cluster.wait after each barrier.cluster.arrive, "
            "but got a second arrive");
  warp.clusterArrived |= mask;
  eachLane(mask,
           [&](unsigned lane) { warp.clusterPhase[lane] = x.cluster.phase; });
  x.release(x.cluster.clocks);
  x.cluster.arrived += static_cast<uint32_t>(__builtin_popcount(mask));
  completeClusterBarrier(x.cluster);
}

void wait(Execution &x, const Instruction &i, uint32_t mask) {
  Warp &warp = *x.warp;
  if (i.flags && !x.converge(mask, warp.alive()))
    return;
  if (mask & ~warp.clusterArrived)
    x.fault(mask & ~warp.clusterArrived,
            "expects barrier.cluster.arrive before barrier.cluster.wait");
  uint32_t blocked = 0;
  eachLane(mask, [&](unsigned lane) {
    if (warp.clusterPhase[lane] == x.cluster.phase)
      blocked |= 1u << lane;
  });
  warp.clusterArrived &= ~(mask & ~blocked);
  if (blocked)
    x.block(blocked, Lane::AtCluster);
  else
    x.acquire(x.cluster.clocks);
}

void syncwarp(Execution &x, const Instruction &i, uint32_t mask) {
  const auto members =
      static_cast<uint32_t>(x.read(i.from[0], mask)[firstLane(mask)]);
  // Lanes of the mask that do not exist or have ended count as arrived.
  x.converge(mask, members & x.warp->alive());
}

} // namespace

void completeClusterBarrier(Cluster &cluster) {
  if (cluster.arrived == 0 || cluster.arrived < aliveThreads(cluster))
    return;
  ++cluster.phase;
  cluster.arrived = 0;
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps)
      Execution::wake(*warp, warp->state(Lane::AtCluster), Lane::AtCluster,
                      true);
}

void decodeClusterBarrier(Decoder &d) {
  const int mode = d.takeOneOf({"arrive", "wait"});
  if (mode < 0)
    d.fail("expects '.arrive' or '.wait'");
  d.takeMemoryHints();
  d.result.flags = d.take("aligned");
  d.expectOperands(0, 0);
  d.result.run = mode == 0 ? arrive : wait;
}

void decodeSyncwarp(Decoder &d) {
  if (!d.take("sync"))
    d.fail("expects '.sync'");
  d.expectOperands(1, 1);
  d.result.from[0] = d.source(0);
  d.result.run = syncwarp;
}

} // namespace hk::emulator
