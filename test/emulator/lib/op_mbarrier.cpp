// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects: arrivals and transactions of a phase, and waits for it.
#include "barriers.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

enum Kind : uint32_t { ArriveOnly, ArriveExpect, ArriveDrop, Expect, Complete };

constexpr int64_t kMaxTransactions = (1 << 20) - 1;
constexpr uint64_t kMaxCount = (1 << 20) - 1;

uint64_t addressOf(const Instruction &i, const uint64_t *base, unsigned lane) {
  return base[lane] + static_cast<uint64_t>(i.offsets[0]);
}

void initialise(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  const uint64_t *count = x.read(i.from[1], mask);
  eachLane(mask, [&](unsigned lane) {
    const Place at =
        x.shared(addressOf(i, base, lane), 8, 8, lane, "an mbarrier");
    const uint64_t expected = static_cast<uint32_t>(count[lane]);
    if (expected == 0 || expected > kMaxCount)
      x.fault(1u << lane, "expects a count from 1 to 1048575, but got " +
                              std::to_string(expected));
    x.expectWritable(at, 8, lane);
    x.noteWrite(at, 8, lane);
    Mbarrier &barrier = at.cta->mbarriers[static_cast<uint32_t>(at.offset)];
    barrier = Mbarrier();
    barrier.expected = static_cast<uint32_t>(expected);
    barrier.pending = barrier.expected;
    at.bytes->mark(at.offset, 8, Shadow::Barrier);
  });
}

void invalidate(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  eachLane(mask, [&](unsigned lane) {
    const uint64_t address = addressOf(i, base, lane);
    const Mbarrier &barrier = mbarrierAt(x, address, lane);
    for (const auto &cta : x.cluster.ctas)
      for (const auto &warp : cta->warps)
        eachLane(warp->state(Lane::AtMbarrier), [&](unsigned other) {
          if (warp->waitsFor[other] == &barrier)
            x.fault(1u << lane, "expects mbarrier.inval when nobody waits, but "
                                "a thread does");
        });
    const Place at = x.shared(address, 8, 8, lane, "an mbarrier");
    x.noteWrite(at, 8, lane);
    at.cta->mbarriers.erase(static_cast<uint32_t>(at.offset));
    at.bytes->mark(at.offset, 8, Shadow::Poison);
  });
}

void expectBytes(Execution &x, Mbarrier &barrier, int64_t bytes,
                 unsigned lane) {
  barrier.transactions += bytes;
  if (barrier.transactions > kMaxTransactions)
    x.fault(1u << lane, "expects at most 1048575 bytes in flight at an "
                        "mbarrier, but got " +
                            std::to_string(barrier.transactions));
}

void arrive(Execution &x, const Instruction &i, uint32_t mask) {
  uint64_t base[kWarpSize], operand[kWarpSize];
  std::memcpy(base, x.read(i.from[0], mask), sizeof(base));
  std::memcpy(operand, x.read(i.from[1], mask), sizeof(operand));
  eachLane(mask, [&](unsigned lane) {
    Mbarrier &barrier = mbarrierAt(x, addressOf(i, base, lane), lane);
    const auto value = static_cast<uint32_t>(operand[lane]);
    if (i.to != kNoRegister)
      x.write(i.to, 1u << lane)[lane] = barrier.phase;
    switch (i.option) {
    case ArriveExpect:
      expectBytes(x, barrier, value, lane);
      arriveAt(x, barrier, 1, lane);
      break;
    case Expect:
      expectBytes(x, barrier, value, lane);
      break;
    case Complete:
      completeBytes(x.cluster, barrier, value);
      break;
    case ArriveDrop:
      if (barrier.expected < value)
        x.fault(1u << lane, "expects fewer drops than the mbarrier's count");
      barrier.expected -= value;
      arriveAt(x, barrier, value, lane);
      break;
    default:
      if (value == 0)
        x.fault(1u << lane, "expects a count of at least 1, but got 0");
      arriveAt(x, barrier, value, lane);
    }
  });
}

// Instruction::flags of waits.
constexpr uint16_t kParity = 1;

void wait(Execution &x, const Instruction &i, uint32_t mask) {
  Warp &warp = *x.warp;
  uint64_t base[kWarpSize], operand[kWarpSize];
  std::memcpy(base, x.read(i.from[0], mask), sizeof(base));
  std::memcpy(operand, x.read(i.from[1], mask), sizeof(operand));
  const auto here =
      static_cast<uint32_t>(&i - x.launch.program->code.data() + 1);
  uint32_t done = 0, blocked = 0;
  eachLane(mask, [&](unsigned lane) {
    Mbarrier &barrier = mbarrierAt(x, addressOf(i, base, lane), lane);
    const bool complete = i.flags & kParity
                              ? (barrier.phase & 1) != (operand[lane] & 1)
                              : barrier.phase != operand[lane];
    if (complete) {
      done |= 1u << lane;
      warp.failedWait[lane] = 0;
      x.acquire(barrier.completed);
    } else if (warp.failedWait[lane] == here) {
      // The second failure in a row is a loop, of test_wait too: the lane
      // sleeps until the phase ends. The first gives false, as it may on
      // hardware: whoever does not look at the result goes on too early.
      blocked |= 1u << lane;
      warp.waitsFor[lane] = &barrier;
    } else {
      warp.failedWait[lane] = here;
    }
  });
  const uint32_t written = mask & ~blocked;
  if (written)
    setLanes(x, i.to, written, [&](unsigned l) { return done >> l & 1; });
  if (blocked)
    x.block(blocked, Lane::AtMbarrier);
  if (written & ~done)
    x.yield();
}

void decodeMbarrier(Decoder &d) {
  Instruction &i = d.result;
  const int what =
      d.takeOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                   "complete_tx", "test_wait", "try_wait"});
  const bool expects = d.take("expect_tx");
  const bool parity = d.take("parity");
  const bool noComplete = d.take("noComplete");
  d.takeSpace(Space::Generic);
  d.takeMemoryHints();
  d.take("b64");
  if (noComplete)
    d.unsupported("'.noComplete'");
  i.from[1] = d.constant(1);
  switch (what) {
  case 0:
    d.expectOperands(2, 2);
    d.address(0, 0);
    i.from[1] = d.source(1);
    i.run = initialise;
    return;
  case 1:
    d.expectOperands(1, 1);
    d.address(0, 0);
    i.run = invalidate;
    return;
  case 2:
  case 3: {
    d.expectOperands(expects ? 2 : 1, 3);
    // The state may be left out where the barrier is in another CTA.
    const unsigned first = d.operand(0).kind == TextOperand::Address ? 0 : 1;
    if (first)
      i.to = d.optionalDestination(d.operand(0));
    d.address(first, 0);
    if (d.operandCount() > first + 1)
      i.from[1] = d.source(first + 1);
    else if (expects)
      d.fail("expects a count of bytes");
    i.option = what == 3 ? ArriveDrop : expects ? ArriveExpect : ArriveOnly;
    if (what == 3 && expects)
      d.unsupported("mbarrier.arrive_drop.expect_tx");
    i.run = arrive;
    return;
  }
  case 4:
  case 5:
    d.expectOperands(2, 2);
    d.address(0, 0);
    i.from[1] = d.source(1);
    i.option = what == 4 ? Expect : Complete;
    i.run = arrive;
    return;
  case 6:
  case 7:
    d.expectOperands(3, 4);
    i.to = d.destination(0);
    d.address(1, 0);
    i.from[1] = d.source(2);
    i.flags = parity ? kParity : 0;
    i.run = wait;
    return;
  default:
    d.unsupported("this mbarrier instruction");
  }
}

} // namespace

Mbarrier &mbarrierAt(Execution &x, uint64_t address, unsigned lane) {
  const Place at = x.shared(address, 8, 8, lane, "an mbarrier");
  const auto found = at.cta->mbarriers.find(static_cast<uint32_t>(at.offset));
  if (found == at.cta->mbarriers.end())
    x.fault(1u << lane, "expects an initialised mbarrier, but got none at "
                        "shared byte " +
                            std::to_string(at.offset));
  // Its users come after its initialisation.
  x.noteRead(at, 8, lane);
  return found->second;
}

void completePhase(Cluster &cluster, Mbarrier &barrier) {
  if (barrier.pending != 0 || barrier.transactions != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  if (!barrier.clocks.seen.empty()) {
    if (barrier.completed.seen.empty())
      barrier.completed.reset(barrier.clocks.seen.size());
    barrier.completed.join(barrier.clocks);
    barrier.clocks.clear();
  }
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps)
      eachLane(warp->state(Lane::AtMbarrier), [&](unsigned lane) {
        if (warp->waitsFor[lane] == &barrier)
          Execution::wake(*warp, 1u << lane, Lane::AtMbarrier, true);
      });
}

void arriveAt(Execution &x, Mbarrier &barrier, uint32_t count, unsigned lane) {
  x.release(barrier.clocks);
  barrier.pending -= count;
  if (barrier.pending < 0)
    x.fault(1u << lane, "expects at most " + std::to_string(barrier.expected) +
                            " arrivals in a phase of the mbarrier, but got "
                            "more");
  completePhase(x.cluster, barrier);
}

void completeBytes(Cluster &cluster, Mbarrier &barrier, int64_t bytes) {
  barrier.transactions -= bytes;
  completePhase(cluster, barrier);
}

void addMbarriers(DecodeTable &table) { table["mbarrier"] = decodeMbarrier; }

} // namespace hk::emulator
