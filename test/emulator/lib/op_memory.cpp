// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld and st of all spaces, vectors included.
#include "lanes.h"

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kStrong = 1, kNarrowAddress = 2;

uint64_t addressOf(const Instruction &i, uint64_t base) {
  if (i.flags & kNarrowAddress)
    return static_cast<uint32_t>(base + static_cast<uint64_t>(i.offsets[0]));
  return base + static_cast<uint64_t>(i.offsets[0]);
}

uint64_t extended(Type type, Type reg, uint64_t bits) {
  switch (type) {
  case Type::S8:
    bits = static_cast<uint64_t>(static_cast<int64_t>(get<int8_t>(bits)));
    break;
  case Type::S16:
    bits = static_cast<uint64_t>(static_cast<int64_t>(get<int16_t>(bits)));
    break;
  case Type::S32:
    bits = static_cast<uint64_t>(static_cast<int64_t>(get<int32_t>(bits)));
    break;
  default:
    return bits;
  }
  return lowBits(reg, bits);
}

void load(Execution &x, const Instruction &i, uint32_t mask) {
  uint64_t base[kWarpSize];
  std::memcpy(base, x.read(i.from[0], mask), sizeof(base));
  const unsigned size = typeSize(i.type);
  const unsigned total = size * i.width;
  uint8_t data[kWarpSize][32];
  eachLane(mask, [&](unsigned lane) {
    const Place from =
        x.place(i.space, addressOf(i, base[lane]), total, total, lane);
    x.load(from, total, data[lane], lane, !(i.flags & kStrong));
  });
  const auto &types = x.launch.program->registerTypes;
  for (unsigned e = 0; e < i.width; ++e) {
    const uint32_t reg = i.toList[e];
    if (reg == kNoRegister)
      continue;
    uint64_t *to = x.write(reg, mask);
    eachLane(mask, [&](unsigned lane) {
      uint64_t bits = 0;
      std::memcpy(&bits, data[lane] + e * size, size);
      to[lane] = extended(i.type, types[reg], bits);
    });
  }
}

void store(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  const unsigned size = typeSize(i.type);
  const unsigned total = size * i.width;
  uint8_t data[kWarpSize][32];
  for (unsigned e = 0; e < i.width; ++e) {
    const uint64_t *from = x.read(i.fromList[e], mask);
    eachLane(mask, [&](unsigned lane) {
      std::memcpy(data[lane] + e * size, &from[lane], size);
    });
  }
  eachLane(mask, [&](unsigned lane) {
    const Place to =
        x.place(i.space, addressOf(i, base[lane]), total, total, lane);
    x.store(to, total, data[lane], lane, !(i.flags & kStrong));
  });
}

void loadParameter(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  const auto &parameters = x.launch.config.parameters;
  const unsigned size = typeSize(i.type);
  const auto &types = x.launch.program->registerTypes;
  for (unsigned e = 0; e < i.width; ++e) {
    const uint32_t reg = i.toList[e];
    if (reg == kNoRegister)
      continue;
    uint64_t *to = x.write(reg, mask);
    eachLane(mask, [&](unsigned lane) {
      const uint64_t at =
          base[lane] + static_cast<uint64_t>(i.offsets[0]) + e * size;
      if (at > parameters.size() || size > parameters.size() - at)
        x.fault(1u << lane, "expects a parameter inside the " +
                                std::to_string(parameters.size()) +
                                " bytes of parameters, but got offset " +
                                std::to_string(at));
      if (at % size)
        x.fault(1u << lane, "expects a parameter aligned to " +
                                std::to_string(size) + " bytes");
      uint64_t bits = 0;
      std::memcpy(&bits, parameters.data() + at, size);
      to[lane] = extended(i.type, types[reg], bits);
    });
  }
}

unsigned takeVector(Decoder &d) {
  const int vector = d.takeOneOf({"v2", "v4", "v8"});
  return vector < 0 ? 1 : 2u << vector;
}

void decodeAccess(Decoder &d, unsigned addressOperand, unsigned dataOperand) {
  Instruction &i = d.result;
  i.space = d.takeSpace(Space::Generic);
  i.flags = d.takeMemoryHints() ? kStrong : 0;
  d.take("unified");
  i.width = static_cast<uint8_t>(takeVector(d));
  i.type = d.takeType();
  d.expectOperands(2, 3); // the third is a cache policy
  if (typeSize(i.type) * i.width > 32 || i.type == Type::B128)
    d.unsupported("accesses of more than 32 bytes");
  d.address(addressOperand, 0);
  if (!i.from[0].isConstant && typeSize(d.registerType(i.from[0].index)) == 4)
    i.flags |= kNarrowAddress;
  if (d.elements(dataOperand).size() != i.width)
    d.fail("expects " + std::to_string(i.width) +
           " elements, as the vector says, but got " +
           std::to_string(d.elements(dataOperand).size()));
}

} // namespace

void addMemoryInstructions(DecodeTable &table) {
  const auto decodeLoad = [](Decoder &d) {
    decodeAccess(d, 1, 0);
    for (const TextOperand &one : d.elements(0)) {
      const uint32_t reg = d.optionalDestination(one);
      if (reg != kNoRegister &&
          typeSize(d.registerType(reg)) < typeSize(d.result.type))
        d.fail("expects a register as wide as the type");
      d.result.toList.push_back(reg);
    }
    d.result.run = d.result.space == Space::Param ? loadParameter : load;
  };
  table["ld"] = decodeLoad;
  table["ldu"] = decodeLoad;
  table["st"] = [](Decoder &d) {
    if (d.take("async")) {
      decodeStoreAsync(d);
      return;
    }
    decodeAccess(d, 0, 1);
    if (d.result.space == Space::Param || d.result.space == Space::Const)
      d.fail("expects a space that can be written");
    for (const TextOperand &one : d.elements(1))
      d.result.fromList.push_back(d.source(one));
    d.result.run = store;
  };
  const auto nothing = [](Decoder &d) {
    d.takeSpace(Space::Generic);
    d.takeOneOf({"L1", "L2"});
    d.takeMemoryHints();
    d.address(0, 0);
    d.result.run = [](Execution &, const Instruction &, uint32_t) {};
  };
  table["prefetch"] = nothing;
  table["prefetchu"] = nothing;
}

} // namespace hk::emulator
