// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt: between all number types, and two f32 to a pair of small floats.
#include "float_format.h"
#include "lanes.h"

#include <cfenv>
#include <limits>

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kSaturate = 1, kFtz = 2, kRelu = 4, kToInteger = 8,
                   kSaturateFinite = 16;

double decode(Type type, uint64_t bits) {
  switch (type) {
  case Type::F64:
    return get<double>(bits);
  case Type::F32:
    return static_cast<double>(get<float>(bits));
  case Type::F16:
    return static_cast<double>(halfToFloat(static_cast<uint16_t>(bits)));
  default:
    return static_cast<double>(bfloatToFloat(static_cast<uint16_t>(bits)));
  }
}

uint64_t encode(Type type, double value, Rounding rounding) {
  switch (type) {
  case Type::F64:
    return put(value);
  case Type::F32:
    return encodeFloat(value, 8, 23, rounding);
  case Type::F16:
    return halfFromDouble(value, rounding);
  default:
    return bfloatFromDouble(value, rounding);
  }
}

int64_t signedValue(Type type, uint64_t bits) {
  switch (typeSize(type)) {
  case 1:
    return get<int8_t>(bits);
  case 2:
    return get<int16_t>(bits);
  case 4:
    return get<int32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

double roundToInteger(double v, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(v);
  case Rounding::Down:
    return std::floor(v);
  case Rounding::Up:
    return std::ceil(v);
  default:
    return std::nearbyint(v);
  }
}

/// Floats clamp to the range of the integer; NaN becomes 0 (64 bits: 1 << 63).
uint64_t toInteger(Type type, double v, Rounding rounding) {
  const unsigned bits = 8 * typeSize(type);
  if (std::isnan(v))
    return bits == 64 ? uint64_t(1) << 63 : 0;
  v = roundToInteger(v, rounding);
  if (isSigned(type)) {
    const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    int64_t result;
    if (v >= limit)
      result = static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
    else if (v < -limit)
      result = -static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1) - 1;
    else
      result = static_cast<int64_t>(v);
    return lowBits(type, static_cast<uint64_t>(result));
  }
  if (v <= 0)
    return 0;
  if (v >= std::ldexp(1.0, static_cast<int>(bits)))
    return lowBits(type, ~uint64_t(0));
  return static_cast<uint64_t>(v);
}

void floatToFloat(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  const auto rounding = static_cast<Rounding>(i.option);
  setLanes(x, i.to, mask, [&](unsigned l) {
    double v = decode(i.type2, a[l]);
    const bool narrow = i.type == Type::F32 || i.type2 == Type::F32;
    if ((i.flags & kFtz) && narrow && std::fabs(v) < 0x1p-126)
      v = std::copysign(0.0, v);
    if (i.flags & kToInteger)
      v = roundToInteger(v, rounding);
    if (i.flags & kSaturate)
      v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
    if ((i.flags & kRelu) && v <= 0)
      v = 0;
    return encode(i.type, v,
                  i.flags & kToInteger ? Rounding::Nearest : rounding);
  });
}

void floatToInteger(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  const bool extends = typeSize(i.type) < 4 && isSigned(i.type);
  setLanes(x, i.to, mask, [&](unsigned l) {
    const uint64_t r = toInteger(i.type, decode(i.type2, a[l]),
                                 static_cast<Rounding>(i.option));
    return extends ? static_cast<uint64_t>(signedValue(i.type, r)) : r;
  });
}

void integerToFloat(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                   FE_UPWARD, FE_TONEAREST};
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    const bool isSignedType = isSigned(i.type2);
    const int64_t s = signedValue(i.type2, a[l]);
    const uint64_t u = lowBits(i.type2, a[l]);
    // One rounding: from 64 bits to f32 and f64 by the processor, to the
    // smaller formats by way of float64, where 16 bits and 32 bits are exact.
    std::fesetround(kModes[i.option]);
    volatile double wide =
        isSignedType ? static_cast<double>(s) : static_cast<double>(u);
    volatile float single =
        isSignedType ? static_cast<float>(s) : static_cast<float>(u);
    std::fesetround(FE_TONEAREST);
    if (i.type == Type::F32)
      return put<float>(single);
    return encode(i.type, wide, static_cast<Rounding>(i.option));
  });
}

void integerToInteger(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  const unsigned bits = 8 * typeSize(i.type);
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    const bool fromSigned = isSigned(i.type2);
    __int128 v = fromSigned ? static_cast<__int128>(signedValue(i.type2, a[l]))
                            : static_cast<__int128>(lowBits(i.type2, a[l]));
    if (i.flags & kSaturate) {
      const __int128 high =
          (__int128(1) << (isSigned(i.type) ? bits - 1 : bits)) - 1;
      const __int128 low = isSigned(i.type) ? -high - 1 : 0;
      v = v < low ? low : v > high ? high : v;
    }
    const uint64_t r = lowBits(i.type, static_cast<uint64_t>(v));
    // A register wider than the type holds the extended value.
    return isSigned(i.type) ? static_cast<uint64_t>(signedValue(i.type, r)) : r;
  });
}

/// cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
void pair(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  const Type type = i.type == Type::F16x2 ? Type::F16 : Type::BF16;
  const auto one = [&](uint64_t bits) {
    double v = static_cast<double>(get<float>(bits));
    if ((i.flags & kRelu) && v <= 0)
      v = 0;
    uint64_t r = encode(type, v, static_cast<Rounding>(i.option));
    const uint64_t infinity = type == Type::F16 ? 0x7c00 : 0x7f80;
    if ((i.flags & kSaturateFinite) && (r & 0x7fff) == infinity)
      r -= 1;
    return r;
  };
  setLanes(x, i.to, mask,
           [&](unsigned l) { return one(a[l]) << 16 | one(b[l]); });
}

void toTf32(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    float v = get<float>(a[l]);
    if ((i.flags & kRelu) && v <= 0)
      v = 0;
    return tf32FromFloat(v, static_cast<Rounding>(i.option));
  });
}

/// Truncates to the width of the destination register.
void toRegister(Decoder &d) {
  const unsigned size = typeSize(d.registerType(d.result.to));
  if (size < typeSize(d.result.type))
    d.fail("expects a register as wide as the type, but got " +
           std::to_string(size) + " bytes");
}

Rounding takeRounding(Decoder &d, bool &toIntegerValue) {
  switch (d.takeOneOf(
      {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"})) {
  case 1:
    return Rounding::Zero;
  case 2:
    return Rounding::Down;
  case 3:
    return Rounding::Up;
  case 4:
    return Rounding::Away;
  case 5:
    toIntegerValue = true;
    return Rounding::Nearest;
  case 6:
    toIntegerValue = true;
    return Rounding::Zero;
  case 7:
    toIntegerValue = true;
    return Rounding::Down;
  case 8:
    toIntegerValue = true;
    return Rounding::Up;
  default:
    return Rounding::Nearest;
  }
}

void decodeCvt(Decoder &d) {
  bool toIntegerValue = false;
  d.result.option = static_cast<uint32_t>(takeRounding(d, toIntegerValue));
  d.result.flags = static_cast<uint16_t>(
      (d.take("sat") ? kSaturate : 0) | (d.take("ftz") ? kFtz : 0) |
      (d.take("relu") ? kRelu : 0) | (toIntegerValue ? kToInteger : 0) |
      (d.take("satfinite") ? kSaturateFinite : 0));
  const Type to = d.result.type = d.takeType();
  const Type from = d.result.type2 = d.takeType();
  if (to == Type::F16x2 || to == Type::BF16x2) {
    if (from != Type::F32)
      d.unsupported("cvt to a pair from anything but f32");
    operands(d, 2);
    d.result.run = pair;
    return;
  }
  operands(d, 1);
  if (to == Type::TF32) {
    d.result.run = toTf32;
    return;
  }
  toRegister(d);
  if (from == Type::F16x2 || from == Type::BF16x2 || from == Type::TF32)
    d.unsupported("cvt from this type");
  d.result.run = isFloat(to)
                     ? (isFloat(from) ? floatToFloat : integerToFloat)
                     : (isFloat(from) ? floatToInteger : integerToInteger);
}

} // namespace

void addConversions(DecodeTable &table) {
  table["cvt"] = [](Decoder &d) {
    decodeCvt(d);
    if (d.result.run == floatToInteger)
      d.result.run = narrowed<floatToInteger>;
    else if (d.result.run == integerToInteger)
      d.result.run = narrowed<integerToInteger>;
  };
}

} // namespace hk::emulator
