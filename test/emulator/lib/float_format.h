// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the small float formats, in one rounding from float64.
#ifndef HK_EMULATOR_FLOAT_FORMAT_H
#define HK_EMULATOR_FLOAT_FORMAT_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace hk::emulator {

enum class Rounding : uint8_t {
  Nearest, ///< ties to even
  Zero,
  Down,
  Up,
  Away ///< nearest, ties away from zero (cvt.rna)
};

/// Bits of `value` in a format of a sign, `exponentBits` and `mantissaBits`,
/// with subnormals, infinities and NaN (the canonical one, positive).
inline uint32_t encodeFloat(double value, unsigned exponentBits,
                            unsigned mantissaBits, Rounding rounding) {
  const uint32_t exponentMask = (1u << exponentBits) - 1;
  const uint32_t sign =
      std::signbit(value) ? 1u << (exponentBits + mantissaBits) : 0;
  const uint32_t infinity = exponentMask << mantissaBits;
  if (std::isnan(value))
    return infinity | ((1u << mantissaBits) - 1);
  const double size = std::fabs(value);
  if (std::isinf(size))
    return sign | infinity;
  if (size == 0)
    return sign;
  const int bias = (1 << (exponentBits - 1)) - 1;
  int exponent;
  std::frexp(size, &exponent); // size = f * 2^exponent, f in [0.5, 1)
  exponent -= 1;
  if (exponent < 1 - bias)
    exponent = 1 - bias;
  // In units of the last place; exact, because only the exponent changes.
  const double units =
      std::ldexp(size, static_cast<int>(mantissaBits) - exponent);
  const double floor = std::floor(units);
  const double rest = units - floor;
  auto whole = static_cast<uint64_t>(floor);
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = rest > 0.5 || (rest == 0.5 && (whole & 1));
    break;
  case Rounding::Away:
    up = rest >= 0.5;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = rest > 0 && sign;
    break;
  case Rounding::Up:
    up = rest > 0 && !sign;
    break;
  }
  whole += up;
  // The implicit bit adds one to the exponent field; a carry does so again.
  const uint64_t bits =
      (static_cast<uint64_t>(exponent + bias - 1) << mantissaBits) + whole;
  if (bits >= infinity) {
    const bool toInfinity = rounding == Rounding::Nearest ||
                            rounding == Rounding::Away ||
                            rounding == (sign ? Rounding::Down : Rounding::Up);
    return sign | (toInfinity ? infinity : infinity - 1);
  }
  return sign | static_cast<uint32_t>(bits);
}

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t bitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float bfloatToFloat(uint16_t bits) {
  return floatFromBits(static_cast<uint32_t>(bits) << 16);
}

inline float halfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | mantissa << 13);
  if (exponent)
    return floatFromBits(sign | (exponent + 112) << 23 | mantissa << 13);
  const float size = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -size : size;
}

inline uint16_t halfFromDouble(double value,
                               Rounding rounding = Rounding::Nearest) {
  return static_cast<uint16_t>(encodeFloat(value, 5, 10, rounding));
}

inline uint16_t bfloatFromDouble(double value,
                                 Rounding rounding = Rounding::Nearest) {
  return static_cast<uint16_t>(encodeFloat(value, 8, 7, rounding));
}

/// As an f32 whose low 13 bits are zero.
inline uint32_t tf32FromFloat(float value, Rounding rounding) {
  return encodeFloat(static_cast<double>(value), 8, 10, rounding) << 13;
}

/// What a tensor core sees of an f32 operand: the low bits are dropped.
inline float tf32Operand(uint32_t bits) {
  return floatFromBits(bits & 0xffffe000u);
}

} // namespace hk::emulator

#endif // HK_EMULATOR_FLOAT_FORMAT_H
