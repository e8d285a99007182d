// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, and the two 16-bit formats that C++17 has no type for.
#ifndef HK_TOOLS_COMMON_ELEMENT_TYPE_H
#define HK_TOOLS_COMMON_ELEMENT_TYPE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hk::tools {

/// I1 is stored as one byte an element: zero or not zero.
enum class ElementType { F64, F32, F16, BF16, I32, I1 };

constexpr size_t byteWidth(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 8;
  case ElementType::F32:
  case ElementType::I32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I1:
    return 1;
  }
  return 0;
}

constexpr bool isFloat(ElementType type) {
  return type != ElementType::I32 && type != ElementType::I1;
}

/// The name in MLIR: "f32".
constexpr const char *nameOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "f64";
  case ElementType::F32:
    return "f32";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::I32:
    return "i32";
  case ElementType::I1:
    return "i1";
  }
  return "?";
}

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounds to nearest even; overflow gives infinity, NaN stays a quiet NaN.
inline uint16_t toBf16(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float fromBf16(uint16_t bits) {
  return floatOf(static_cast<uint32_t>(bits) << 16);
}

/// Rounds to nearest even; overflow gives infinity, NaN stays a quiet NaN.
inline uint16_t toF16(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) // 65520: halfway to the first overflow
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) { // below 2^-14: subnormal, a multiple of 2^-24
    // Adding 0.5 leaves the rounded multiple of 2^-24 in the low mantissa bits.
    uint32_t rounded = bitsOf(floatOf(magnitude) + 0.5f) - 0x3f000000u;
    return static_cast<uint16_t>(sign | rounded);
  }
  uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(
      sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

inline float fromF16(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return floatOf(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  float value = magnitude < 0x400u ? static_cast<float>(magnitude) * 0x1p-24f
                                   : floatOf((magnitude << 13) + 0x38000000u);
  return sign ? -value : value;
}

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_ELEMENT_TYPE_H
