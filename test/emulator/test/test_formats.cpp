// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions, and arithmetic of the 16-bit floats.
#include "float_format.h"
#include "harness.h"

#include <cmath>

using namespace hk::emulator;

namespace {

uint64_t convert(const std::string &cvt, uint64_t a) {
  return evaluate(cvt, a);
}

TEST(Half, EveryValueSurvives) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float value = halfToFloat(static_cast<uint16_t>(h));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(halfFromDouble(static_cast<double>(value)), h);
    const float wide = bfloatToFloat(static_cast<uint16_t>(h));
    if (!std::isnan(wide)) {
      ASSERT_EQ(bfloatFromDouble(static_cast<double>(wide)), h);
    }
  }
}

TEST(Half, EncodesAsTheHostDoes) {
  // f32 through the same function as the small formats.
  for (const double v : {1.0 / 3, -2.0 / 3e40, 1e-42, 3.5e38, 1e39, 0.1, -7e9})
    EXPECT_EQ(encodeFloat(v, 8, 23, Rounding::Nearest),
              bitsFromFloat(static_cast<float>(v)))
        << v;
}

TEST(Convert, FloatToHalf) {
  const auto half = [](float v, const std::string &mode = "rn") {
    return convert("cvt." + mode + ".f16.f32 %h4, %f1; cvt.u32.u16 %r0, %h4;",
                   bits(v));
  };
  EXPECT_EQ(half(1.0f), 0x3c00u);
  EXPECT_EQ(half(65504.0f), 0x7bffu);
  EXPECT_EQ(half(65520.0f), 0x7c00u); // the tie goes to infinity
  EXPECT_EQ(half(65520.0f, "rz"), 0x7bffu);
  EXPECT_EQ(half(0x1p-24f), 1u);
  EXPECT_EQ(half(0x1p-25f), 0u);             // tie to even
  EXPECT_EQ(half(1.0f + 0x1p-11f), 0x3c00u); // tie to even
  EXPECT_EQ(half(1.0f + 0x3p-11f), 0x3c02u);
  EXPECT_EQ(half(NAN), 0x7fffu);
  EXPECT_EQ(convert("cvt.f32.f16 %f4, %h1; mov.b32 %r0, %f4;", 0xc000),
            bits(-2.0f));
  EXPECT_EQ(convert("cvt.rn.bf16.f32 %h4, %f1; cvt.u32.u16 %r0, %h4;",
                    bits(1.0f + 0x1p-8f)),
            0x3f80u);
  EXPECT_EQ(convert("cvt.rn.bf16.f32 %h4, %f1; cvt.u32.u16 %r0, %h4;",
                    bits(1.0f + 0x3p-8f)),
            0x3f82u);
}

TEST(Convert, PairsPutTheFirstOperandOnTop) {
  EXPECT_EQ(evaluate("cvt.rn.f16x2.f32 %r0, %f1, %f2;", bits(1.0f), bits(2.0f)),
            0x3c004000u);
  EXPECT_EQ(
      evaluate("cvt.rn.bf16x2.f32 %r0, %f1, %f2;", bits(1.0f), bits(-2.0f)),
      0x3f80c000u);
  EXPECT_EQ(
      evaluate("cvt.rn.relu.f16x2.f32 %r0, %f1, %f2;", bits(-1.0f), bits(2.0f)),
      0x00004000u);
}

TEST(Convert, Tf32) {
  // 10 bits of mantissa: the tie goes away from zero with rna.
  EXPECT_EQ(convert("cvt.rna.tf32.f32 %r0, %f1;", bits(1.0f + 0x1p-11f)),
            bits(1.0f + 0x1p-10f));
  EXPECT_EQ(convert("cvt.rna.tf32.f32 %r0, %f1;", bits(1.0f + 0x0.8p-11f)),
            bits(1.0f));
}

TEST(Convert, FloatToInteger) {
  const auto s32 = [](float v, const std::string &mode) {
    return static_cast<int32_t>(
        convert("cvt." + mode + ".s32.f32 %r0, %f1;", bits(v)));
  };
  EXPECT_EQ(s32(2.5f, "rni"), 2);
  EXPECT_EQ(s32(3.5f, "rni"), 4);
  EXPECT_EQ(s32(-2.7f, "rzi"), -2);
  EXPECT_EQ(s32(-2.2f, "rmi"), -3);
  EXPECT_EQ(s32(2.2f, "rpi"), 3);
  EXPECT_EQ(s32(1e20f, "rzi"), 0x7fffffff);
  EXPECT_EQ(s32(-1e20f, "rzi"), int32_t(0x80000000));
  EXPECT_EQ(s32(NAN, "rzi"), 0);
  EXPECT_EQ(convert("cvt.rzi.u32.f32 %r0, %f1;", bits(-1.0f)), 0u);
  EXPECT_EQ(convert("cvt.rni.f32.f32 %f4, %f1; mov.b32 %r0, %f4;", bits(2.5f)),
            bits(2.0f));
}

TEST(Convert, Integers) {
  EXPECT_EQ(convert("cvt.s64.s32 %rd0, %r1;", 0x80000000), 0xffffffff80000000);
  EXPECT_EQ(convert("cvt.u64.u32 %rd0, %r1;", 0x80000000), 0x80000000u);
  EXPECT_EQ(convert("cvt.s32.s8 %r0, %r1;", 0x1ff), 0xffffffffu);
  EXPECT_EQ(convert("cvt.sat.u8.s32 %r0, %r1;", 300), 255u);
  EXPECT_EQ(convert("cvt.rn.f32.s32 %f4, %r1; mov.b32 %r0, %f4;", 16777217),
            bits(16777216.0f));
  EXPECT_EQ(convert("cvt.rp.f32.u32 %f4, %r1; mov.b32 %r0, %f4;", 16777217),
            bits(16777218.0f));
  EXPECT_EQ(convert("cvt.rn.f16.u16 %h4, %h1; cvt.u32.u16 %r0, %h4;", 2049),
            uint64_t(halfFromDouble(2048)));
}

TEST(HalfArithmetic, PairsElementByElement) {
  const auto pair = [](float low, float high) {
    return uint64_t(halfFromDouble(high)) << 16 | halfFromDouble(low);
  };
  EXPECT_EQ(evaluate("add.rn.f16x2 %r0, %r1, %r2;", pair(1, 2), pair(3, -5)),
            pair(4, -3));
  EXPECT_EQ(evaluate("mul.f16x2 %r0, %r1, %r2;", pair(1.5f, 2), pair(3, -5)),
            pair(4.5f, -10));
  EXPECT_EQ(evaluate("fma.rn.f16x2 %r0, %r1, %r2, %r3;", pair(2, 3), pair(4, 5),
                     pair(-1, 1)),
            pair(7, 16));
  EXPECT_EQ(evaluate("fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;", pair(2, 3),
                     pair(-4, 5), pair(-1, 1)),
            pair(0, 16));
  EXPECT_EQ(evaluate("max.f16x2 %r0, %r1, %r2;", pair(2, 3), pair(4, -1)),
            pair(4, 3));
  EXPECT_EQ(evaluate("min.f16x2 %r0, %r1, %r2;", pair(2, 3), pair(4, -1)),
            pair(2, -1));
  EXPECT_EQ(evaluate("neg.f16x2 %r0, %r1;", pair(2, -3)), pair(-2, 3));
  EXPECT_EQ(evaluate("ex2.approx.f16x2 %r0, %r1;", pair(3, -1)), pair(8, 0.5f));
  EXPECT_EQ(evaluate("tanh.approx.f16x2 %r0, %r1;", pair(0, 20)), pair(0, 1));
  // 2048 + 1 rounds to 2048 in f16: one rounding, to even.
  EXPECT_EQ(evaluate("add.f16 %h4, %h1, %h2; cvt.u32.u16 %r0, %h4;",
                     halfFromDouble(2048), halfFromDouble(1)),
            uint64_t(halfFromDouble(2048)));
}

TEST(HalfArithmetic, Bfloat) {
  const auto pair = [](float low, float high) {
    return uint64_t(bfloatFromDouble(high)) << 16 | bfloatFromDouble(low);
  };
  EXPECT_EQ(evaluate("fma.rn.bf16x2 %r0, %r1, %r2, %r3;", pair(2, 3),
                     pair(4, 5), pair(-1, 1)),
            pair(7, 16));
  EXPECT_EQ(evaluate("max.bf16x2 %r0, %r1, %r2;", pair(2, 3), pair(4, -1)),
            pair(4, 3));
}

TEST(HalfArithmetic, Comparison) {
  EXPECT_EQ(evaluate("setp.lt.f16 %p1, %h1, %h2; selp.u32 %r0, 1, 2, %p1;",
                     halfFromDouble(-1), halfFromDouble(0.5)),
            1u);
  EXPECT_EQ(evaluate("setp.gt.f16x2 %p1|%p2, %r1, %r2; selp.u32 %r4, 1, 0, %p1;"
                     "selp.u32 %r5, 2, 0, %p2; add.u32 %r0, %r4, %r5;",
                     0x3c003c00, 0x40000000),
            1u); // low 1 > 0, high 1 < 2
}

} // namespace
