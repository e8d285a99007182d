// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov with packing and unpacking, cvta, and addresses in the cluster.
#include "lanes.h"

namespace hk::emulator {
namespace {

void copy(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) { return a[l]; });
}

/// mov.b32 %r, {%lo, %hi}: each element has `width` bits.
void pack(Execution &x, const Instruction &i, uint32_t mask) {
  const unsigned bits = i.width;
  const uint64_t low = (uint64_t(1) << bits) - 1;
  uint64_t packed[kWarpSize] = {};
  for (size_t e = 0; e < i.fromList.size(); ++e) {
    const uint64_t *a = x.read(i.fromList[e], mask);
    for (unsigned l = 0; l < kWarpSize; ++l)
      packed[l] |= (a[l] & low) << (bits * e);
  }
  setLanes(x, i.to, mask, [&](unsigned l) { return packed[l]; });
}

void unpack(Execution &x, const Instruction &i, uint32_t mask) {
  const unsigned bits = i.width;
  const uint64_t low = (uint64_t(1) << bits) - 1;
  uint64_t whole[kWarpSize];
  std::memcpy(whole, x.read(i.from[0], mask), sizeof(whole));
  for (size_t e = 0; e < i.toList.size(); ++e)
    if (i.toList[e] != kNoRegister)
      setLanes(x, i.toList[e], mask,
               [&](unsigned l) { return whole[l] >> (bits * e) & low; });
}

void undefined(Execution &x, const Instruction &i, uint32_t mask) {
  setLanes(x, i.to, mask, [](unsigned) { return 0xCBCBCBCBu; });
}

void decodeMov(Decoder &d) {
  const Type type = d.takeType();
  d.expectOperands(2, 2);
  const bool fromList = d.operand(1).kind == TextOperand::List;
  const bool toList = d.operand(0).kind == TextOperand::List;
  if (!fromList && !toList) {
    operands(d, 1);
    d.result.run = narrowed<copy>;
    return;
  }
  const auto elements = d.elements(fromList ? 1 : 0);
  const size_t bits = 8 * typeSize(type) / elements.size();
  if (fromList == toList || type == Type::B128 || elements.size() < 2 ||
      bits * elements.size() != 8 * typeSize(type))
    d.unsupported("this mov of vectors");
  d.result.width = static_cast<uint8_t>(bits);
  if (fromList) {
    d.result.to = d.destination(0);
    for (const TextOperand &one : elements)
      d.result.fromList.push_back(d.source(one));
    d.result.run = pack;
  } else {
    d.result.from[0] = d.source(1);
    for (const TextOperand &one : elements)
      d.result.toList.push_back(d.optionalDestination(one));
    d.result.run = unpack;
  }
}

template <uint64_t Window, bool ToGeneric>
void convertAddress(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) {
    return ToGeneric ? (a[l] & 0xffffffff) + Window : (a[l] - Window);
  });
}

void decodeCvta(Decoder &d) {
  const bool toSpace = d.take("to");
  const Space space = d.takeSpace(Space::Generic);
  d.takeType();
  operands(d, 1);
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    d.result.run = toSpace ? narrowed<convertAddress<kSharedWindow, false>>
                           : convertAddress<kSharedWindow, true>;
    return;
  case Space::Local:
    d.result.run = toSpace ? narrowed<convertAddress<kLocalWindow, false>>
                           : convertAddress<kLocalWindow, true>;
    return;
  case Space::Param:
    d.unsupported("generic addresses of parameters");
  default:
    d.result.run = copy;
  }
}

void isSpace(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    const bool local = a[l] >= kLocalWindow;
    const bool shared = !local && a[l] >= kSharedWindow;
    return i.space == Space::Local    ? local
           : i.space == Space::Global ? !local && !shared
                                      : shared;
  });
}

/// mapa: the same place in another CTA of the cluster.
void mapAddress(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  eachLane(mask, [&](unsigned l) {
    if (static_cast<uint32_t>(b[l]) >= x.cluster.ctas.size())
      x.fault(1u << l, "expects a rank below the cluster's " +
                           std::to_string(x.cluster.ctas.size()) +
                           " CTAs, but got " +
                           std::to_string(static_cast<uint32_t>(b[l])));
  });
  const uint64_t window = i.space == Space::Generic ? kSharedWindow : 0;
  setLanes(x, i.to, mask, [&](unsigned l) {
    const uint64_t offset = a[l] & ((uint64_t(1) << kRankShift) - 1);
    return window + (((b[l] & 0xff) + 1) << kRankShift | offset);
  });
}

void addressRank(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    const uint64_t rank = a[l] >> kRankShift & 0xff;
    return rank ? rank - 1 : x.warp->cta->rank;
  });
}

} // namespace

void addMoveInstructions(DecodeTable &table) {
  table["mov"] = decodeMov;
  table["cvta"] = decodeCvta;
  table["implicit-def"] = [](Decoder &d) {
    d.result.to = d.destination(0);
    d.result.run = narrowed<undefined>;
  };
  table["isspacep"] = [](Decoder &d) {
    d.result.space = d.takeSpace(Space::Generic);
    operands(d, 1);
    d.result.run = isSpace;
  };
  table["mapa"] = [](Decoder &d) {
    d.result.space = d.takeSpace(Space::Generic);
    d.takeType();
    operands(d, 2);
    d.result.run = mapAddress;
  };
  table["getctarank"] = [](Decoder &d) {
    d.takeSpace(Space::Generic);
    d.takeType();
    operands(d, 1);
    d.result.run = addressRank;
  };
}

} // namespace hk::emulator
