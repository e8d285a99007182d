// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "half.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace hk {
namespace {

/// The value of a 16-bit float by its definition.
double definition(uint16_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  const int fraction = bits & ((1 << mantissaBits) - 1);
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = fraction ? std::nan("") : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - mantissaBits);
  else
    value = std::ldexp(fraction + (1 << mantissaBits),
                       exponent - bias - mantissaBits);
  return bits & 0x8000 ? -value : value;
}

template <typename Format>
void checkFormat(int exponentBits, int mantissaBits) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const uint16_t bits = static_cast<uint16_t>(i);
    const double expected = definition(bits, exponentBits, mantissaBits);
    const double value = Format::toDouble(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(Format::toDouble(Format::fromDouble(value))));
      continue;
    }
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    ASSERT_EQ(Format::fromDouble(value), bits);
  }
  // Between two neighbours: the nearer, and the even one of a tie. The value
  // above the largest is where infinity would be, were it a number.
  const uint16_t infinity =
      static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    const double low = Format::toDouble(bits);
    const double high = bits + 1 < infinity
                            ? Format::toDouble(bits + 1)
                            : std::ldexp(1.0, 1 << (exponentBits - 1));
    const double tie = low + (high - low) / 2; // exact: it has one bit more
    const uint16_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(Format::fromDouble(tie), even) << bits;
    ASSERT_EQ(Format::fromDouble(std::nextafter(tie, 0)), bits);
    ASSERT_EQ(Format::fromDouble(std::nextafter(tie, high)), bits + 1);
    ASSERT_EQ(Format::fromDouble(-tie), even | 0x8000) << bits;
  }
}

TEST(Half, Float16IsRoundedToNearestEven) { checkFormat<Float16>(5, 10); }
TEST(Half, BFloat16IsRoundedToNearestEven) { checkFormat<BFloat16>(8, 7); }

TEST(Half, HandComputedValues) {
  EXPECT_EQ(Float16::fromDouble(1.0), 0x3c00);
  EXPECT_EQ(Float16::fromDouble(65504.0), 0x7bff);
  EXPECT_EQ(Float16::fromDouble(65519.99), 0x7bff);
  EXPECT_EQ(Float16::fromDouble(65520.0), 0x7c00);
  EXPECT_EQ(Float16::fromDouble(1e300), 0x7c00);
  EXPECT_EQ(Float16::fromDouble(-1e-300), 0x8000);
  EXPECT_EQ(BFloat16::fromDouble(1.0), 0x3f80);
  EXPECT_EQ(BFloat16::fromDouble(3.0e38), 0x7f62);
  EXPECT_EQ(BFloat16::fromDouble(5e-324), 0x0000);
  // Rounding by way of float32 would give 0x3c01: 1 + 2^-11 is a tie there.
  EXPECT_EQ(Float16::fromDouble(1 + 0x1p-11 - 0x1p-40), 0x3c00);
  EXPECT_EQ(Float16::fromDouble(1 + 0x1p-11 + 0x1p-40), 0x3c01);
}

} // namespace
} // namespace hk
