// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red. Lanes take their turns in order; races are not looked for.
#include "float_format.h"
#include "lanes.h"

#include <algorithm>

namespace hk::emulator {
namespace {

enum Op : uint32_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exch, Cas };

template <typename T> T integer(uint32_t op, T old, T value) {
  switch (op) {
  case Min:
    return std::min(old, value);
  default:
    return std::max(old, value);
  }
}

uint64_t pairwise(Type type, uint64_t a, uint64_t b) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 8 * typeSize(type); shift += 16) {
    const auto x = static_cast<uint16_t>(a >> shift);
    const auto y = static_cast<uint16_t>(b >> shift);
    const bool half = type == Type::F16 || type == Type::F16x2;
    const double sum = half ? static_cast<double>(halfToFloat(x)) +
                                  static_cast<double>(halfToFloat(y))
                            : static_cast<double>(bfloatToFloat(x)) +
                                  static_cast<double>(bfloatToFloat(y));
    const uint64_t bits = half ? halfFromDouble(sum) : bfloatFromDouble(sum);
    result |= bits << shift;
  }
  return result;
}

uint64_t combined(const Instruction &i, uint64_t old, uint64_t b, uint64_t c) {
  switch (i.option) {
  case Add:
    switch (i.type) {
    case Type::F32:
      return put<float>(get<float>(old) + get<float>(b));
    case Type::F64:
      return put<double>(get<double>(old) + get<double>(b));
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return pairwise(i.type, old, b);
    default:
      return old + b;
    }
  case Min:
  case Max:
    switch (i.type) {
    case Type::S32:
      return put<int32_t>(
          integer(i.option, get<int32_t>(old), get<int32_t>(b)));
    case Type::S64:
      return put<int64_t>(
          integer(i.option, get<int64_t>(old), get<int64_t>(b)));
    case Type::U32:
      return integer(i.option, get<uint32_t>(old), get<uint32_t>(b));
    default:
      return integer(i.option, old, b);
    }
  case Inc:
    return old >= b ? 0 : old + 1;
  case Dec:
    return old == 0 || old > b ? b : old - 1;
  case And:
    return old & b;
  case Or:
    return old | b;
  case Xor:
    return old ^ b;
  case Exch:
    return b;
  default:
    return old == b ? c : old;
  }
}

void atomic(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *base = x.read(i.from[0], mask);
  const uint64_t *b = x.read(i.from[1], mask);
  const uint64_t *c = i.option == Cas ? x.read(i.from[2], mask) : b;
  const unsigned size = typeSize(i.type);
  uint64_t results[kWarpSize];
  eachLane(mask, [&](unsigned lane) {
    const uint64_t address = base[lane] + static_cast<uint64_t>(i.offsets[0]);
    const Place at = x.place(i.space, address, size, size, lane);
    uint64_t old = 0;
    x.load(at, size, &old, lane, false);
    results[lane] = old;
    const uint64_t value =
        combined(i, old, lowBits(i.type, b[lane]), lowBits(i.type, c[lane]));
    x.store(at, size, &value, lane, false);
  });
  if (i.to != kNoRegister)
    setLanes(x, i.to, mask, [&](unsigned lane) {
      return mask >> lane & 1 ? results[lane] : 0;
    });
}

void decode(Decoder &d, bool hasResult) {
  Instruction &i = d.result;
  i.space = d.takeSpace(Space::Generic);
  d.takeMemoryHints();
  d.take("noftz");
  const int op = d.takeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  if (op < 0)
    d.fail("expects an operation such as '.add'");
  i.option = static_cast<uint32_t>(op);
  i.type = d.takeType();
  if ((i.option == Min || i.option == Max) && isFloat(i.type))
    d.unsupported("atomic minima and maxima of floats");
  if (i.type == Type::B128)
    d.unsupported("atomics of 16 bytes");
  const unsigned first = hasResult ? 1 : 0;
  d.expectOperands(first + (i.option == Cas ? 3 : 2), first + 4);
  if (hasResult)
    i.to = d.optionalDestination(d.operand(0));
  d.address(first, 0);
  i.from[1] = d.source(first + 1);
  if (i.option == Cas)
    i.from[2] = d.source(first + 2);
  i.run = atomic;
}

} // namespace

void addAtomics(DecodeTable &table) {
  table["atom"] = [](Decoder &d) { decode(d, true); };
  table["red"] = [](Decoder &d) {
    if (d.take("async"))
      d.unsupported("red.async");
    decode(d, false);
  };
}

} // namespace hk::emulator
