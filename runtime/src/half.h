// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// float64 to and from the 16-bit float formats, in one rounding (to nearest,
// ties to even). Going through float32 would round twice.
#ifndef HK_RUNTIME_HALF_H
#define HK_RUNTIME_HALF_H

#include <cstdint>
#include <cstring>

namespace hk {

/// A 16-bit IEEE-like format: sign, `ExponentBits`, `MantissaBits`.
template <int ExponentBits, int MantissaBits> struct Small {
  static_assert(1 + ExponentBits + MantissaBits == 16);
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr uint32_t kInfinity = ((1u << ExponentBits) - 1)
                                        << MantissaBits;

  static uint16_t fromDouble(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    const uint32_t sign = static_cast<uint32_t>(bits >> 63) << 15;
    const int stored = static_cast<int>((bits >> 52) & 0x7ff);
    const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
    if (stored == 0x7ff) {
      const uint32_t quiet = fraction ? 1u << (MantissaBits - 1) : 0;
      return static_cast<uint16_t>(sign | kInfinity | quiet);
    }
    const int exponent = stored - 1023;
    // Float64 subnormals are far below half of the smallest value here.
    if (stored == 0)
      return static_cast<uint16_t>(sign);
    if (exponent > kBias)
      return static_cast<uint16_t>(sign | kInfinity);

    const bool subnormal = exponent < 1 - kBias;
    const int shift =
        52 - MantissaBits + (subnormal ? 1 - kBias - exponent : 0);
    if (shift > 54)
      return static_cast<uint16_t>(sign);
    const uint64_t significand = fraction | (uint64_t(1) << 52);
    uint64_t kept = significand >> shift;
    const uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
    const uint64_t tie = uint64_t(1) << (shift - 1);
    if (rest > tie || (rest == tie && (kept & 1)))
      ++kept;
    // A carry out of the mantissa lands in the exponent, as it should: from
    // the largest subnormal to the smallest normal, and from the largest
    // finite value to infinity.
    uint32_t result = static_cast<uint32_t>(kept);
    if (!subnormal)
      result += static_cast<uint32_t>(exponent + kBias - 1) << MantissaBits;
    return static_cast<uint16_t>(sign | result);
  }

  static double toDouble(uint16_t value) {
    const uint64_t sign = static_cast<uint64_t>(value >> 15) << 63;
    const uint32_t stored = (value & kInfinity) >> MantissaBits;
    const uint64_t fraction = value & ((1u << MantissaBits) - 1);
    uint64_t bits;
    if (stored == (1u << ExponentBits) - 1) {
      bits = (uint64_t(0x7ff) << 52) | (fraction << (52 - MantissaBits));
    } else if (stored != 0) {
      bits = (static_cast<uint64_t>(static_cast<int>(stored) - kBias + 1023)
              << 52) |
             (fraction << (52 - MantissaBits));
    } else if (fraction == 0) {
      bits = 0;
    } else {
      // Subnormal: normalise, so that the leading one falls off.
      int lead = 0;
      while (!((fraction << lead) & (1u << MantissaBits)))
        ++lead;
      const uint64_t mantissa = (fraction << lead) & ((1u << MantissaBits) - 1);
      bits = (static_cast<uint64_t>(1 - kBias - lead + 1023) << 52) |
             (mantissa << (52 - MantissaBits));
    }
    bits |= sign;
    double result;
    std::memcpy(&result, &bits, sizeof(result));
    return result;
  }
};

using Float16 = Small<5, 10>;
using BFloat16 = Small<8, 7>;

} // namespace hk

#endif // HK_RUNTIME_HALF_H
