// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, set, selp, slct.
#include "float_format.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

enum Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <typename T> bool ordered(unsigned compare, T a, T b) {
  switch (compare) {
  case Eq:
  case Equ:
    return a == b;
  case Ne:
  case Neu:
    return a != b;
  case Lt:
  case Lo:
  case Ltu:
    return a < b;
  case Le:
  case Ls:
  case Leu:
    return a <= b;
  case Gt:
  case Hi:
  case Gtu:
    return a > b;
  default:
    return a >= b;
  }
}

bool compareFloats(unsigned compare, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (compare == Num)
    return !unordered;
  if (compare == Nan)
    return unordered;
  if (unordered)
    return compare >= Equ;
  return ordered(compare, a, b);
}

double decode(Type type, uint64_t bits, bool flush) {
  switch (type) {
  case Type::F64:
    return get<double>(bits);
  case Type::F32: {
    const float v = get<float>(bits);
    return flush && std::fpclassify(v) == FP_SUBNORMAL
               ? std::copysign(0.0, static_cast<double>(v))
               : static_cast<double>(v);
  }
  case Type::F16:
  case Type::F16x2:
    return static_cast<double>(halfToFloat(static_cast<uint16_t>(bits)));
  default:
    return static_cast<double>(bfloatToFloat(static_cast<uint16_t>(bits)));
  }
}

bool compareBits(const Instruction &i, uint64_t a, uint64_t b) {
  const unsigned compare = i.option & 31;
  switch (i.type) {
  case Type::S16:
    return ordered(compare, get<int16_t>(a), get<int16_t>(b));
  case Type::S32:
    return ordered(compare, get<int32_t>(a), get<int32_t>(b));
  case Type::S64:
    return ordered(compare, get<int64_t>(a), get<int64_t>(b));
  case Type::U16:
  case Type::B16:
    return ordered(compare, get<uint16_t>(a), get<uint16_t>(b));
  case Type::U32:
  case Type::B32:
    return ordered(compare, get<uint32_t>(a), get<uint32_t>(b));
  case Type::U64:
  case Type::B64:
    return ordered(compare, a, b);
  default:
    return compareFloats(compare, decode(i.type, a, i.flags & 1),
                         decode(i.type, b, i.flags & 1));
  }
}

// Bits of Instruction::option above the comparison.
enum Combine : uint32_t { None = 0, AndWith = 32, OrWith = 64, XorWith = 96 };

bool combine(const Instruction &i, bool value, bool with) {
  switch (i.option & 96) {
  case AndWith:
    return value && with;
  case OrWith:
    return value || with;
  case XorWith:
    return value != with;
  default:
    return value;
  }
}

void setPredicate(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  const bool combines = i.option & 96;
  const uint64_t *c = combines ? x.read(i.from[2], mask) : a;
  const uint64_t flip = i.from[2].negated;
  // The destination may be one of the sources.
  uint32_t first = 0, second = 0;
  eachLane(mask, [&](unsigned l) {
    const bool with = combines && ((c[l] & 1) ^ flip);
    const bool value = compareBits(i, a[l], b[l]);
    first |= static_cast<uint32_t>(combine(i, value, with)) << l;
    second |= static_cast<uint32_t>(combine(i, !value, with)) << l;
  });
  if (i.to != kNoRegister)
    setLanes(x, i.to, mask, [&](unsigned l) { return first >> l & 1; });
  if (i.to2 != kNoRegister)
    setLanes(x, i.to2, mask, [&](unsigned l) { return second >> l & 1; });
}

/// setp.f16x2 p|q: one predicate an element.
void setPair(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  const unsigned compare = i.option & 31;
  uint32_t low = 0, high = 0;
  eachLane(mask, [&](unsigned l) {
    const bool p = compareFloats(compare, decode(i.type, a[l] & 0xffff, false),
                                 decode(i.type, b[l] & 0xffff, false));
    const bool q =
        compareFloats(compare, decode(i.type, a[l] >> 16 & 0xffff, false),
                      decode(i.type, b[l] >> 16 & 0xffff, false));
    low |= static_cast<uint32_t>(p) << l;
    high |= static_cast<uint32_t>(q) << l;
  });
  setLanes(x, i.to, mask, [&](unsigned l) { return low >> l & 1; });
  setLanes(x, i.to2, mask, [&](unsigned l) { return high >> l & 1; });
}

/// set: all ones or 1.0.
void setValue(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  const uint64_t truth = i.type2 == Type::F32 ? 0x3f800000u : 0xffffffffu;
  setLanes(x, i.to, mask,
           [&](unsigned l) { return compareBits(i, a[l], b[l]) ? truth : 0; });
}

uint32_t takeCompare(Decoder &d) {
  const int compare =
      d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                   "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (compare < 0)
    d.fail("expects a comparison such as '.lt'");
  return static_cast<uint32_t>(compare);
}

void decodeSetp(Decoder &d) {
  d.result.option = takeCompare(d);
  const int with = d.takeOneOf({"and", "or", "xor"});
  d.result.option |= static_cast<uint32_t>(with + 1) * 32;
  d.result.flags = d.take("ftz");
  d.result.type = d.takeType();
  d.expectOperands(with < 0 ? 3 : 4, with < 0 ? 3 : 4);
  const TextOperand &to = d.operand(0);
  if (to.kind == TextOperand::Pair) {
    d.result.to = d.optionalDestination(to.list[0]);
    d.result.to2 = d.optionalDestination(to.list[1]);
  } else {
    d.result.to = d.destination(0);
  }
  for (unsigned k = 0; k < (with < 0 ? 2u : 3u); ++k)
    d.result.from[k] = d.source(k + 1);
  const bool pair =
      d.result.type == Type::F16x2 || d.result.type == Type::BF16x2;
  if (pair &&
      (with >= 0 || d.result.to == kNoRegister || d.result.to2 == kNoRegister))
    d.unsupported("setp of pairs with anything but two predicates");
  d.result.run = pair ? setPair : setPredicate;
}

void decodeSet(Decoder &d) {
  d.result.option = takeCompare(d);
  d.result.flags = d.take("ftz");
  d.result.type2 = d.takeType();
  d.result.type = d.takeType();
  if (typeSize(d.result.type2) != 4 || d.result.type == Type::F16x2)
    d.unsupported("set with this type");
  operands(d, 2);
  d.result.run = setValue;
}

void select(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask),
                 *c = x.read(i.from[2], mask);
  const uint64_t flip = i.from[2].negated;
  setLanes(x, i.to, mask,
           [&](unsigned l) { return (c[l] & 1) ^ flip ? a[l] : b[l]; });
}

/// slct: by the sign of c.
void selectBySign(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask),
                 *c = x.read(i.from[2], mask);
  setLanes(x, i.to, mask, [&](unsigned l) {
    const bool first =
        i.type2 == Type::F32 ? get<float>(c[l]) >= 0 : get<int32_t>(c[l]) >= 0;
    return first ? a[l] : b[l];
  });
}

} // namespace

void addComparisons(DecodeTable &table) {
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = [](Decoder &d) {
    d.takeType();
    operands(d, 3);
    d.result.run = narrowed<select>;
  };
  table["slct"] = [](Decoder &d) {
    d.take("ftz");
    d.takeType();
    d.result.type2 = d.takeType();
    operands(d, 3);
    d.result.run = narrowed<selectBySign>;
  };
}

} // namespace hk::emulator
