// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar and barrier: the 16 barriers of a CTA, the barrier of a cluster, fences.
#include "barriers.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

enum Mode : uint32_t { Sync, Arrive, RedPopc, RedAnd, RedOr };

void finishBarrier(NamedBarrier &barrier) {
  for (const NamedBarrier::Waiter &waiter : barrier.waiters) {
    const Instruction &i = *waiter.instruction;
    if (i.option >= RedPopc) {
      const uint64_t value = i.option == RedPopc ? barrier.trueLanes
                             : i.option == RedAnd
                                 ? barrier.trueLanes == barrier.votes
                                 : barrier.trueLanes != 0;
      waiter.warp->valid[i.to] |= waiter.mask;
      eachLane(waiter.mask, [&](unsigned lane) {
        waiter.warp->registers[size_t(i.to) * kWarpSize + lane] = value;
      });
    }
    if (!barrier.clocks.seen.empty())
      waiter.warp->clocks.join(barrier.clocks);
    Execution::wake(*waiter.warp, waiter.mask, Lane::AtBarrier, false);
  }
  Clocks clocks = std::move(barrier.clocks);
  clocks.clear();
  barrier = NamedBarrier();
  barrier.clocks = std::move(clocks);
}

uint32_t threadsOf(const Cta &cta) {
  return static_cast<uint32_t>(cta.warps.size()) * kWarpSize;
}

void barrier(Execution &x, const Instruction &i, uint32_t mask) {
  Warp &warp = *x.warp;
  // Per thread (barrier without .aligned) is not modelled: warps arrive whole.
  if (!x.converge(mask, warp.alive()))
    return;
  const unsigned first = firstLane(mask);
  const uint64_t id = x.read(i.from[0], mask)[first];
  const bool hasCount = i.flags & 1;
  const uint32_t count =
      hasCount ? static_cast<uint32_t>(x.read(i.from[1], mask)[first])
               : threadsOf(*warp.cta);
  if (id > 15)
    x.fault(mask,
            "expects a barrier from 0 to 15, but got " + std::to_string(id));
  if (count == 0 || count % kWarpSize || count > threadsOf(*warp.cta))
    x.fault(mask, "expects a count of threads that is a multiple of 32 and at "
                  "most the CTA's " +
                      std::to_string(threadsOf(*warp.cta)) + ", but got " +
                      std::to_string(count));
  NamedBarrier &at = warp.cta->barriers[id];
  if (at.expected && at.expected != count)
    x.fault(mask, "expects the count that others gave barrier " +
                      std::to_string(id) + ", " + std::to_string(at.expected) +
                      ", but got " + std::to_string(count));
  for (const NamedBarrier::Waiter &waiter : at.waiters)
    if (waiter.warp == &warp)
      x.fault(mask, "expects a warp once at a barrier");
  if (!hasCount)
    for (const auto &other : warp.cta->warps)
      if (!other->alive())
        x.fault(mask, "expects all warps of the CTA at the barrier, but warp " +
                          std::to_string(other->index) + " has exited");
  at.expected = count;
  at.hasCount = hasCount;
  at.arrived += kWarpSize;
  x.release(at.clocks);
  if (i.option >= RedPopc) {
    const uint64_t *p = x.read(i.from[2], mask);
    eachLane(mask, [&](unsigned lane) {
      at.trueLanes += (p[lane] & 1) != (i.from[2].negated ? 1 : 0);
      ++at.votes;
    });
  }
  if (i.option != Arrive) {
    at.waiters.push_back({&warp, mask, &i});
    x.block(mask, Lane::AtBarrier);
  }
  if (at.arrived == at.expected)
    finishBarrier(at);
}

void decodeBarrier(Decoder &d, bool isBar) {
  Instruction &i = d.result;
  d.take("cta");
  if (d.take("cluster")) {
    decodeClusterBarrier(d);
    return;
  }
  if (d.take("warp")) {
    decodeSyncwarp(d);
    return;
  }
  if (!d.take("aligned") && !isBar)
    i.flags |= 2;
  const int mode = d.takeOneOf({"sync", "arrive", "red"});
  if (mode < 0)
    d.fail("expects '.sync', '.arrive' or '.red'");
  i.option = static_cast<uint32_t>(mode);
  unsigned first = 0;
  if (mode == 2) {
    const int reduction = d.takeOneOf({"popc", "and", "or"});
    if (reduction < 0)
      d.fail("expects '.popc', '.and' or '.or'");
    d.takeType();
    i.option = RedPopc + static_cast<uint32_t>(reduction);
    d.expectOperands(3, 4);
    i.to = d.destination(0);
    i.from[2] = d.source(d.operandCount() - 1);
    first = 1;
  }
  const size_t counts = d.operandCount() - first - (mode == 2 ? 1 : 0);
  if (counts < (mode == 1 ? 2u : 1u) || counts > 2)
    d.fail("expects a barrier and a count of threads");
  i.from[0] = d.source(first);
  if (counts == 2) {
    i.from[1] = d.source(first + 1);
    i.flags |= 1;
  }
  i.run = barrier;
}

/// fence.proxy.async: what this warp knows to be written becomes visible to
/// the async proxy.
void proxyFence(Execution &x, const Instruction &, uint32_t) {
  if (!x.races())
    return;
  Clocks &clocks = x.warp->clocks;
  for (size_t s = 0; s < clocks.seen.size(); ++s)
    clocks.fenced[s] = std::max(clocks.fenced[s], clocks.seen[s]);
  ++clocks.seen[x.warp->slot];
}

void nothing(Execution &, const Instruction &, uint32_t) {}

void decodeFence(Decoder &d) {
  if (d.take("proxy")) {
    const int which = d.takeOneOf({"async", "async::generic", "alias"});
    if (which < 0)
      d.unsupported("this proxy fence");
    d.takeSpace(Space::Generic);
    d.takeMemoryHints();
    d.takePrefix("sync_restrict::");
    d.result.run = which == 0 ? proxyFence : nothing;
    return;
  }
  d.take("mbarrier_init");
  d.takeMemoryHints();
  d.takePrefix("sync_restrict::");
  d.result.run = nothing;
}

} // namespace

void addBarriers(DecodeTable &table) {
  table["bar"] = [](Decoder &d) { decodeBarrier(d, true); };
  table["barrier"] = [](Decoder &d) { decodeBarrier(d, false); };
  table["fence"] = decodeFence;
  table["membar"] = [](Decoder &d) {
    d.takeOneOf({"gl", "sys", "cta"});
    d.result.run = nothing;
  };
}

} // namespace hk::emulator
