// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk and st.async: copies by the async proxy, which complete on an
// mbarrier (into shared memory) or in bulk groups (out of it).
#include "async.h"
#include "barriers.h"
#include "lanes.h"

#include <algorithm>

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kMulticast = 1, kFromShared = 2;

uint64_t addressOf(const Instruction &i, const uint64_t *base, unsigned slot,
                   unsigned lane) {
  return base[lane] + static_cast<uint64_t>(i.offsets[slot]);
}

/// What the warp knows, with the copy as the agent's next step.
Clocks agentClocks(Execution &x) {
  Clocks clocks = x.warp->clocks;
  if (x.races())
    clocks.seen.back() = ++x.cluster.asyncClock;
  return clocks;
}

uint32_t agent(const Execution &x) { return x.cluster.warpCount(); }

/// Runs `complete` now, or as late as possible in lazy mode.
void schedule(Execution &x, std::function<void()> complete) {
  if (x.launch.options.lazy)
    x.cluster.pending.push_back(std::move(complete));
  else
    complete();
}

/// Bytes that land in the shared memory of some CTA, and count at an mbarrier
/// of the same CTA.
void deliver(Execution &x, Place to, std::function<const uint8_t *()> source,
             uint32_t size, Mbarrier &barrier, unsigned lane) {
  x.expectWritable(to, size, lane);
  const Clocks clocks = agentClocks(x);
  if (x.races()) {
    const std::string wrong =
        to.cta->races->write(static_cast<uint32_t>(to.offset), size, agent(x),
                             clocks, x.instruction->text->line);
    if (!wrong.empty())
      x.fault(1u << lane, wrong);
  }
  to.bytes->mark(to.offset, size, Shadow::Pending);
  Cluster *cluster = &x.cluster;
  schedule(x, [=, &barrier, source = std::move(source)] {
    std::memcpy(to.data(), source(), size);
    to.bytes->mark(to.offset, size, Shadow::Valid);
    if (!clocks.seen.empty()) {
      if (barrier.clocks.seen.empty())
        barrier.clocks.reset(clocks.seen.size());
      barrier.clocks.join(clocks);
    }
    completeBytes(*cluster, barrier, size);
  });
}

void checkBulk(Execution &x, uint64_t source, uint64_t target, uint64_t size,
               unsigned lane) {
  if (size == 0 || size % 16)
    x.fault(1u << lane, "expects a size that is a multiple of 16 bytes, but "
                        "got " +
                            std::to_string(size));
  if (source % 16 || target % 16)
    x.fault(1u << lane, "expects addresses aligned to 16 bytes");
}

void load(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *targets = x.read(i.from[0], mask);
  const uint64_t *sources = x.read(i.from[1], mask);
  const uint64_t *sizes = x.read(i.from[2], mask);
  const uint64_t *barriers = x.read(i.from[3], mask);
  const uint64_t *masks =
      i.flags & kMulticast ? x.read(i.fromList[0], mask) : nullptr;
  eachLane(mask, [&](unsigned lane) {
    const uint64_t target = addressOf(i, targets, 0, lane);
    const uint64_t source = addressOf(i, sources, 1, lane);
    const auto size = static_cast<uint32_t>(sizes[lane]);
    const uint64_t at = addressOf(i, barriers, 3, lane);
    checkBulk(x, source, target, size, lane);
    Place from;
    if (i.flags & kFromShared) {
      from = x.shared(source, size, 16, lane, "the source of a bulk copy");
      if (x.races()) {
        const std::string wrong =
            from.cta->races->asyncRead(static_cast<uint32_t>(from.offset), size,
                                       agent(x), agentClocks(x), i.text->line);
        if (!wrong.empty())
          x.fault(1u << lane, wrong);
      }
    } else {
      from = x.place(Space::Global, source, size, 1, lane);
    }
    x.expectValid(from, size, lane);
    const auto bytes = [from]() -> const uint8_t * { return from.data(); };
    if (!masks) {
      deliver(x, x.shared(target, size, 16, lane, "a bulk copy"), bytes, size,
              mbarrierAt(x, at, lane), lane);
      return;
    }
    for (uint32_t rank = 0; rank < 16; ++rank) {
      if (!(masks[lane] >> rank & 1))
        continue;
      const uint64_t low = (uint64_t(1) << kRankShift) - 1;
      const uint64_t window = static_cast<uint64_t>(rank + 1) << kRankShift;
      deliver(x,
              x.shared(window | (target & low), size, 16, lane, "a bulk copy"),
              bytes, size, mbarrierAt(x, window | (at & low), lane), lane);
    }
  });
}

void store(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *targets = x.read(i.from[0], mask);
  const uint64_t *sources = x.read(i.from[1], mask);
  const uint64_t *sizes = x.read(i.from[2], mask);
  eachLane(mask, [&](unsigned lane) {
    const uint64_t target = addressOf(i, targets, 0, lane);
    const uint64_t source = addressOf(i, sources, 1, lane);
    const auto size = static_cast<uint32_t>(sizes[lane]);
    checkBulk(x, source, target, size, lane);
    const Place from =
        x.shared(source, size, 16, lane, "the source of a bulk copy");
    const Place to = x.place(Space::Global, target, size, 1, lane);
    x.noteGlobalWrite(to, size, lane);
    x.expectValid(from, size, lane);
    const Clocks clocks = agentClocks(x);
    if (x.races()) {
      const std::string wrong =
          from.cta->races->asyncRead(static_cast<uint32_t>(from.offset), size,
                                     agent(x), clocks, i.text->line);
      if (!wrong.empty())
        x.fault(1u << lane, wrong);
    }
    Warp *warp = x.warp;
    const bool lazy = x.launch.options.lazy;
    const auto copy = [=] {
      std::memcpy(to.data(), from.data(), size);
      to.bytes->mark(to.offset, size, Shadow::Valid);
    };
    if (!lazy)
      copy();
    x.warp->async[lane].openStores.push_back({[=] {
      if (lazy)
        copy();
      if (!clocks.seen.empty())
        warp->clocks.seen.back() =
            std::max(warp->clocks.seen.back(), clocks.seen.back());
    }});
  });
}

void commit(Execution &x, const Instruction &, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    LaneAsync &async = x.warp->async[lane];
    async.storeGroups.push_back(std::move(async.openStores));
    async.openStores.clear();
  });
}

void waitGroups(Execution &x, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    auto &groups = x.warp->async[lane].storeGroups;
    while (groups.size() > i.option) {
      for (const BulkStore &one : groups.front())
        one.complete();
      groups.pop_front();
    }
  });
}

void storeAsync(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *targets = x.read(i.from[0], mask);
  const uint64_t *barriers = x.read(i.from[1], mask);
  const unsigned size = typeSize(i.type);
  std::vector<const uint64_t *> values;
  for (const Source &one : i.fromList)
    values.push_back(x.read(one, mask));
  const auto total = static_cast<uint32_t>(size * values.size());
  eachLane(mask, [&](unsigned lane) {
    auto bytes = std::make_shared<std::array<uint8_t, 16>>();
    for (size_t e = 0; e < values.size(); ++e)
      std::memcpy(bytes->data() + e * size, &values[e][lane], size);
    deliver(
        x,
        x.shared(addressOf(i, targets, 0, lane), total, total, lane,
                 "st.async"),
        [bytes]() -> const uint8_t * { return bytes->data(); }, total,
        mbarrierAt(x, addressOf(i, barriers, 1, lane), lane), lane);
  });
}

void nothing(Execution &, const Instruction &, uint32_t) {}

} // namespace

void decodeBulkCopy(Decoder &d) {
  Instruction &i = d.result;
  if (d.take("commit_group")) {
    d.expectOperands(0, 0);
    i.run = commit;
    return;
  }
  if (d.take("wait_group")) {
    d.take("read");
    d.expectOperands(1, 1);
    i.option = static_cast<uint32_t>(d.immediate(0));
    i.run = waitGroups;
    return;
  }
  if (d.take("prefetch")) {
    d.take("L2");
    d.take("global");
    d.takeMemoryHints();
    d.expectOperands(2, 3);
    i.run = nothing;
    return;
  }
  if (d.take("tensor"))
    d.unsupported("tensor maps");
  if (d.take("bulk_group")) {
    if (!d.take("global") || !d.take("shared::cta"))
      d.fail("expects '.global.shared::cta'");
    d.takeMemoryHints();
    d.expectOperands(3, 4);
    d.address(0, 0);
    d.address(1, 1);
    i.from[2] = d.source(2);
    i.run = store;
    return;
  }
  if (!d.take("mbarrier::complete_tx::bytes"))
    d.fail("expects '.mbarrier::complete_tx::bytes' or '.bulk_group'");
  const bool toCluster = d.take("shared::cluster");
  const bool global = d.take("global");
  const bool fromCta = d.take("shared::cta");
  if (toCluster ? global == fromCta : !(global && fromCta))
    d.fail("expects a copy from '.global' or '.shared::cta' into shared "
           "memory");
  i.flags =
      static_cast<uint16_t>((d.take("multicast::cluster") ? kMulticast : 0) |
                            (global ? 0 : kFromShared));
  d.takeMemoryHints();
  d.expectOperands(i.flags & kMulticast ? 5 : 4, 6);
  d.address(0, 0);
  d.address(1, 1);
  i.from[2] = d.source(2);
  d.address(3, 3);
  if (i.flags & kMulticast)
    i.fromList.push_back(d.source(4));
  i.run = load;
}

void decodeStoreAsync(Decoder &d) {
  Instruction &i = d.result;
  d.take("shared::cluster");
  d.takeMemoryHints();
  if (!d.take("mbarrier::complete_tx::bytes"))
    d.fail("expects '.mbarrier::complete_tx::bytes'");
  const int vector = d.takeOneOf({"v2", "v4"});
  const size_t width = vector < 0 ? 1 : size_t(2) << vector;
  i.type = d.takeType();
  d.expectOperands(3, 3);
  d.address(0, 0);
  for (const TextOperand &one : d.elements(1))
    i.fromList.push_back(d.source(one));
  if (i.fromList.size() != width || typeSize(i.type) * width > 16)
    d.fail("expects as many elements as the vector says");
  d.address(2, 1);
  i.run = storeAsync;
}

} // namespace hk::emulator
