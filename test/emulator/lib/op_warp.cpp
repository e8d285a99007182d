// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions between the lanes of a warp: shfl, vote, match, redux, elect.
#include "lanes.h"

#include <algorithm>

namespace hk::emulator {
namespace {

/// The member mask in from[3]; false while lanes are missing.
bool meet(Execution &x, const Instruction &i, uint32_t &mask) {
  const uint64_t *members = x.read(i.from[3], mask);
  const unsigned first = firstLane(mask);
  const auto all = static_cast<uint32_t>(members[first]);
  eachLane(mask, [&](unsigned lane) {
    if (static_cast<uint32_t>(members[lane]) != all)
      x.fault(1u << lane, "expects one member mask for all lanes");
  });
  if (all & ~x.warp->lanes)
    x.fault(mask, "expects a member mask of the warp's lanes, but got one with "
                  "lanes that do not exist");
  return x.converge(mask, all);
}

enum Shuffle : uint32_t { Up, Down, Butterfly, Indexed };

void shuffle(Execution &x, const Instruction &i, uint32_t mask) {
  if (!meet(x, i, mask))
    return;
  uint64_t a[kWarpSize], b[kWarpSize], c[kWarpSize];
  std::memcpy(a, x.read(i.from[0], mask), sizeof(a));
  std::memcpy(b, x.read(i.from[1], mask), sizeof(b));
  std::memcpy(c, x.read(i.from[2], mask), sizeof(c));
  uint32_t fromLane[kWarpSize] = {}, inRange = 0;
  eachLane(mask, [&](unsigned lane) {
    const int value = static_cast<int>(b[lane] & 31);
    const unsigned clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const int highest = static_cast<int>((lane & segment) | (clamp & ~segment));
    const int lowest = static_cast<int>(lane & segment);
    const int self = static_cast<int>(lane);
    int from = 0;
    bool good = false;
    switch (i.option) {
    case Up:
      from = self - value;
      good = from >= highest;
      break;
    case Down:
      from = self + value;
      good = from <= highest;
      break;
    case Butterfly:
      from = self ^ value;
      good = from <= highest;
      break;
    default:
      from = lowest | (value & static_cast<int>(~segment & 31));
      good = from <= highest;
    }
    if (!good)
      from = self;
    if (!(mask >> from & 1))
      x.fault(1u << lane, "expects a source lane of the member mask, but got "
                          "lane " +
                              std::to_string(from));
    fromLane[lane] = static_cast<uint32_t>(from);
    inRange |= static_cast<uint32_t>(good) << lane;
  });
  if (i.to != kNoRegister)
    setLanes(x, i.to, mask, [&](unsigned l) { return a[fromLane[l]]; });
  if (i.to2 != kNoRegister)
    setLanes(x, i.to2, mask, [&](unsigned l) { return inRange >> l & 1; });
}

void decodeShuffle(Decoder &d) {
  Instruction &i = d.result;
  if (!d.take("sync"))
    d.unsupported("shfl without .sync");
  const int mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  if (mode < 0)
    d.fail("expects '.up', '.down', '.bfly' or '.idx'");
  d.takeType();
  d.expectOperands(5, 5);
  const TextOperand &to = d.operand(0);
  if (to.kind == TextOperand::Pair) {
    i.to = d.optionalDestination(to.list[0]);
    i.to2 = d.optionalDestination(to.list[1]);
  } else {
    i.to = d.destination(0);
  }
  for (unsigned k = 0; k < 4; ++k)
    i.from[k] = d.source(k + 1);
  i.option = static_cast<uint32_t>(mode);
  i.run = shuffle;
}

enum Vote : uint32_t { All, Any, Uni, Ballot };

void vote(Execution &x, const Instruction &i, uint32_t mask) {
  if (!meet(x, i, mask))
    return;
  const uint64_t *p = x.read(i.from[0], mask);
  uint32_t ballot = 0;
  eachLane(mask, [&](unsigned lane) {
    const bool value = (p[lane] & 1) != (i.from[0].negated ? 1 : 0);
    ballot |= static_cast<uint32_t>(value) << lane;
  });
  const uint32_t result = i.option == All   ? ballot == mask
                          : i.option == Any ? ballot != 0
                          : i.option == Uni ? ballot == 0 || ballot == mask
                                            : ballot;
  setLanes(x, i.to, mask, [&](unsigned) { return result; });
}

void decodeVote(Decoder &d) {
  if (!d.take("sync"))
    d.unsupported("vote without .sync");
  const int mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  if (mode < 0)
    d.fail("expects '.all', '.any', '.uni' or '.ballot'");
  d.takeType();
  d.expectOperands(3, 3);
  d.result.to = d.destination(0);
  d.result.from[0] = d.source(1);
  d.result.from[3] = d.source(2);
  d.result.option = static_cast<uint32_t>(mode);
  d.result.run = vote;
}

void match(Execution &x, const Instruction &i, uint32_t mask) {
  if (!meet(x, i, mask))
    return;
  uint64_t a[kWarpSize];
  std::memcpy(a, x.read(i.from[0], mask), sizeof(a));
  uint32_t same[kWarpSize] = {};
  eachLane(mask, [&](unsigned lane) {
    eachLane(mask, [&](unsigned other) {
      if (lowBits(i.type, a[lane]) == lowBits(i.type, a[other]))
        same[lane] |= 1u << other;
    });
  });
  const bool all = same[firstLane(mask)] == mask;
  if (i.to != kNoRegister)
    setLanes(x, i.to, mask,
             [&](unsigned l) { return i.option ? (all ? mask : 0) : same[l]; });
  if (i.to2 != kNoRegister)
    setLanes(x, i.to2, mask, [&](unsigned) { return all; });
}

void decodeMatch(Decoder &d) {
  const int mode = d.takeOneOf({"any", "all"});
  if (mode < 0 || !d.take("sync"))
    d.fail("expects '.any.sync' or '.all.sync'");
  d.result.type = d.takeType();
  d.expectOperands(3, 3);
  const TextOperand &to = d.operand(0);
  if (to.kind == TextOperand::Pair) {
    d.result.to = d.optionalDestination(to.list[0]);
    d.result.to2 = d.optionalDestination(to.list[1]);
  } else {
    d.result.to = d.destination(0);
  }
  d.result.from[0] = d.source(1);
  d.result.from[3] = d.source(2);
  d.result.option = static_cast<uint32_t>(mode);
  d.result.run = match;
}

void reduce(Execution &x, const Instruction &i, uint32_t mask) {
  if (!meet(x, i, mask))
    return;
  const uint64_t *a = x.read(i.from[0], mask);
  const bool isSignedType = i.type == Type::S32;
  auto result = static_cast<uint32_t>(a[firstLane(mask)]);
  eachLane(mask & (mask - 1), [&](unsigned lane) {
    const auto v = static_cast<uint32_t>(a[lane]);
    const bool less =
        isSignedType ? static_cast<int32_t>(v) < static_cast<int32_t>(result)
                     : v < result;
    switch (i.option) {
    case 0:
      result += v;
      break;
    case 1:
      result = less ? v : result;
      break;
    case 2:
      result = less ? result : v;
      break;
    case 3:
      result &= v;
      break;
    case 4:
      result |= v;
      break;
    default:
      result ^= v;
    }
  });
  setLanes(x, i.to, mask, [&](unsigned) { return result; });
}

void activeMask(Execution &x, const Instruction &i, uint32_t mask) {
  setLanes(x, i.to, mask, [&](unsigned) { return mask; });
}

void elect(Execution &x, const Instruction &i, uint32_t mask) {
  if (!meet(x, i, mask))
    return;
  const unsigned leader = firstLane(mask);
  if (i.to != kNoRegister)
    setLanes(x, i.to, mask, [&](unsigned) { return leader; });
  if (i.to2 != kNoRegister)
    setLanes(x, i.to2, mask, [&](unsigned l) { return l == leader; });
}

} // namespace

void addWarpInstructions(DecodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = [](Decoder &d) {
    d.take("sync");
    const int op = d.takeOneOf({"add", "min", "max", "and", "or", "xor"});
    if (op < 0)
      d.fail("expects an operation such as '.add'");
    d.result.type = d.takeType();
    if (isFloat(d.result.type))
      d.unsupported("redux of floats");
    d.expectOperands(3, 3);
    d.result.to = d.destination(0);
    d.result.from[0] = d.source(1);
    d.result.from[3] = d.source(2);
    d.result.option = static_cast<uint32_t>(op);
    d.result.run = reduce;
  };
  table["activemask"] = [](Decoder &d) {
    d.takeType();
    d.result.to = d.destination(0);
    d.result.run = activeMask;
  };
  table["elect"] = [](Decoder &d) {
    d.take("sync");
    d.expectOperands(2, 2);
    const TextOperand &to = d.operand(0);
    if (to.kind != TextOperand::Pair)
      d.fail("expects 'register|predicate'");
    d.result.to = d.optionalDestination(to.list[0]);
    d.result.to2 = d.optionalDestination(to.list[1]);
    d.result.from[3] = d.source(1);
    d.result.run = elect;
  };
}

} // namespace hk::emulator
