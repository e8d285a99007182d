// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async of single threads: groups, waits, and arrivals on mbarriers. The
// destination counts as in flight until the thread waits, in both modes; in
// lazy mode the bytes come no earlier than that.
#include "async.h"
#include "barriers.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

// Instruction::flags of copies.
constexpr uint16_t kHasSourceSize = 1, kIgnoresSource = 2;

void transfer(Execution &x, const CopyAsync &copy, unsigned lane, Place to) {
  if (copy.sourceSize) {
    const Place from =
        x.place(Space::Global, copy.source, copy.sourceSize, 1, lane);
    x.expectValid(from, copy.sourceSize, lane);
    std::memcpy(to.data(), from.data(), copy.sourceSize);
  }
  std::memset(to.data() + copy.sourceSize, 0, copy.size - copy.sourceSize);
}

/// What the thread waited for is there, as if it had written it now.
void finish(Execution &x, const std::vector<CopyAsync> &group, unsigned lane) {
  for (const CopyAsync &copy : group) {
    const Place to = x.shared(copy.target, copy.size, 1, lane, "a copy");
    if (x.launch.options.lazy)
      transfer(x, copy, lane, to);
    to.bytes->mark(to.offset, copy.size, Shadow::Valid);
    x.noteWrite(to, copy.size, lane);
  }
}

void copy(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *targets = x.read(i.from[0], mask);
  const uint64_t *sources = x.read(i.from[1], mask);
  const uint64_t *sizes = i.flags ? x.read(i.from[2], mask) : nullptr;
  eachLane(mask, [&](unsigned lane) {
    CopyAsync one;
    one.size = i.width;
    one.sourceSize = one.size;
    if (i.flags == kHasSourceSize)
      one.sourceSize = static_cast<uint32_t>(sizes[lane]);
    else if (i.flags == kIgnoresSource && (sizes[lane] & 1))
      one.sourceSize = 0;
    if (one.sourceSize > one.size)
      x.fault(1u << lane, "expects a source of at most " +
                              std::to_string(one.size) + " bytes, but got " +
                              std::to_string(one.sourceSize));
    one.source = sources[lane] + static_cast<uint64_t>(i.offsets[1]);
    one.line = i.text->line;
    const Place to =
        x.shared(targets[lane] + static_cast<uint64_t>(i.offsets[0]), one.size,
                 one.size, lane, "the destination of a copy");
    if (to.cta != x.warp->cta)
      x.fault(1u << lane, "expects the destination in the CTA's own memory");
    one.target = static_cast<uint32_t>(to.offset);
    x.expectWritable(to, one.size, lane);
    x.noteWrite(to, one.size, lane);
    if (one.sourceSize)
      x.place(Space::Global, one.source, one.sourceSize, 1, lane);
    if (one.source % one.size)
      x.fault(1u << lane, "expects a source aligned to " +
                              std::to_string(one.size) + " bytes");
    if (!x.launch.options.lazy)
      transfer(x, one, lane, to);
    to.bytes->mark(to.offset, one.size, Shadow::Pending);
    x.warp->async[lane].openCopies.push_back(one);
  });
}

void commit(Execution &x, const Instruction &, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    LaneAsync &async = x.warp->async[lane];
    async.copyGroups.push_back(std::move(async.openCopies));
    async.openCopies.clear();
  });
}

void waitGroups(Execution &x, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](unsigned lane) {
    LaneAsync &async = x.warp->async[lane];
    while (async.copyGroups.size() > i.option) {
      finish(x, async.copyGroups.front(), lane);
      async.copyGroups.pop_front();
    }
  });
}

void waitAll(Execution &x, const Instruction &i, uint32_t mask) {
  commit(x, i, mask);
  waitGroups(x, i, mask);
}

/// cp.async.mbarrier.arrive: an arrival once the thread's copies so far are
/// complete. Without .noinc the pending count grows by one first.
void arriveOnMbarrier(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  eachLane(mask, [&](unsigned lane) {
    const uint64_t address = base[lane] + static_cast<uint64_t>(i.offsets[0]);
    Mbarrier &barrier = mbarrierAt(x, address, lane);
    if (!i.flags)
      ++barrier.pending;
    LaneAsync &async = x.warp->async[lane];
    auto copies = std::make_shared<std::vector<CopyAsync>>();
    for (const auto &group : async.copyGroups)
      copies->insert(copies->end(), group.begin(), group.end());
    copies->insert(copies->end(), async.openCopies.begin(),
                   async.openCopies.end());
    async.copyGroups.clear();
    async.openCopies.clear();
    Warp *warp = x.warp;
    const Instruction *instruction = &i;
    const auto complete = [&x, warp, instruction, lane, copies, address] {
      Warp *running = x.warp;
      const Instruction *at = x.instruction;
      x.warp = warp;
      x.instruction = instruction;
      finish(x, *copies, lane);
      arriveAt(x, mbarrierAt(x, address, lane), 1, lane);
      x.warp = running;
      x.instruction = at;
    };
    if (x.launch.options.lazy)
      x.cluster.pending.push_back(complete);
    else
      complete();
  });
}

void decodeCopy(Decoder &d) {
  Instruction &i = d.result;
  if (!d.take("async"))
    d.unsupported("cp without .async");
  if (d.take("bulk")) {
    decodeBulkCopy(d);
    return;
  }
  if (d.take("commit_group")) {
    d.expectOperands(0, 0);
    i.run = commit;
    return;
  }
  if (d.take("wait_group")) {
    d.expectOperands(1, 1);
    i.option = static_cast<uint32_t>(d.immediate(0));
    i.run = waitGroups;
    return;
  }
  if (d.take("wait_all")) {
    d.expectOperands(0, 0);
    i.run = waitAll;
    return;
  }
  if (d.take("mbarrier")) {
    d.take("arrive");
    i.flags = d.take("noinc");
    d.takeSpace(Space::Shared);
    d.take("b64");
    d.expectOperands(1, 1);
    d.address(0, 0);
    i.run = arriveOnMbarrier;
    return;
  }
  const int cache = d.takeOneOf({"ca", "cg"});
  if (cache < 0)
    d.fail("expects '.ca' or '.cg'");
  if (d.takeOneOf({"shared", "shared::cta"}) < 0 || !d.take("global"))
    d.fail("expects '.shared.global'");
  const bool policy = d.take("L2::cache_hint");
  d.takeMemoryHints();
  d.expectOperands(3, 5);
  const uint64_t size = d.immediate(2);
  if (size != 16 && (cache == 1 || (size != 4 && size != 8)))
    d.fail(std::string("expects ") +
           (cache == 1 ? "16 bytes with '.cg'" : "4, 8 or 16 bytes") +
           ", but got " + std::to_string(size));
  i.width = static_cast<uint8_t>(size);
  d.address(0, 0);
  d.address(1, 1);
  if (d.operandCount() > (policy ? 4u : 3u)) {
    i.from[2] = d.source(3);
    const bool ignores =
        !i.from[2].isConstant && d.registerType(i.from[2].index) == Type::Pred;
    i.flags = ignores ? kIgnoresSource : kHasSourceSize;
  }
  i.run = copy;
}

} // namespace

void addAsyncCopies(DecodeTable &table) { table["cp"] = decodeCopy; }

} // namespace hk::emulator
