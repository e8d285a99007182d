// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers, bits and floats, one instruction at a time, against values worked
// out by hand or by the host's arithmetic.
#include "harness.h"

#include <cmath>
#include <limits>

using namespace hk::emulator;

namespace {

TEST(Integer, AddSubWrap) {
  EXPECT_EQ(evaluate("add.s32 %r0, %r1, %r2;", 0x7fffffff, 1), 0x80000000u);
  EXPECT_EQ(evaluate("add.u64 %rd0, %rd1, %rd2;", ~0ull, 2), 1u);
  EXPECT_EQ(evaluate("sub.u32 %r0, %r1, %r2;", 1, 2), 0xffffffffu);
  EXPECT_EQ(evaluate("add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(evaluate("add.s16 %h0, %h1, %h2; cvt.u32.u16 %r0, %h0;", 0xffff, 2),
            1u);
}

TEST(Integer, Multiply) {
  EXPECT_EQ(evaluate("mul.lo.s32 %r0, %r1, %r2;", 0x10001, 0x10001), 0x20001u);
  EXPECT_EQ(evaluate("mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff),
            0xfffffffeu);
  EXPECT_EQ(evaluate("mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 5), 0xffffffffu);
  EXPECT_EQ(evaluate("mul.wide.s32 %rd0, %r1, %r2;", 0xffffffff, 5),
            uint64_t(-5));
  EXPECT_EQ(evaluate("mul.wide.u32 %rd0, %r1, %r2;", 0xffffffff, 5),
            0x4fffffffbull);
  EXPECT_EQ(evaluate("mad.lo.s32 %r0, %r1, %r2, %r3;", 3, 4, 5), 17u);
  EXPECT_EQ(evaluate("mad.wide.u32 %rd0, %r1, %r2, %rd3;", 1u << 31, 2, 7),
            (1ull << 32) + 7);
  EXPECT_EQ(evaluate("mul.hi.u64 %rd0, %rd1, %rd2;", 1ull << 63, 4), 2u);
}

TEST(Integer, DivideAndRemainder) {
  EXPECT_EQ(evaluate("div.s32 %r0, %r1, %r2;", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(evaluate("rem.s32 %r0, %r1, %r2;", uint32_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(evaluate("div.u32 %r0, %r1, %r2;", 7, 0), 0xffffffffu);
  EXPECT_EQ(evaluate("div.s32 %r0, %r1, %r2;", 0x80000000, uint32_t(-1)),
            0x80000000u);
}

TEST(Integer, MinMaxAbs) {
  EXPECT_EQ(evaluate("min.s32 %r0, %r1, %r2;", uint32_t(-3), 2), uint32_t(-3));
  EXPECT_EQ(evaluate("min.u32 %r0, %r1, %r2;", uint32_t(-3), 2), 2u);
  EXPECT_EQ(evaluate("max.s64 %rd0, %rd1, %rd2;", uint64_t(-3), 2), 2u);
  EXPECT_EQ(evaluate("abs.s32 %r0, %r1;", uint32_t(-3)), 3u);
  EXPECT_EQ(evaluate("neg.s32 %r0, %r1;", 3), uint32_t(-3));
}

TEST(Bits, LogicAndShifts) {
  EXPECT_EQ(evaluate("and.b32 %r0, %r1, %r2;", 0xff0, 0x0ff), 0x0f0u);
  EXPECT_EQ(evaluate("or.b64 %rd0, %rd1, %rd2;", 0xf0, 0x0f), 0xffu);
  EXPECT_EQ(evaluate("xor.b32 %r0, %r1, -1;", 0xf), 0xfffffff0u);
  EXPECT_EQ(evaluate("not.b32 %r0, %r1;", 0xf), 0xfffffff0u);
  EXPECT_EQ(evaluate("shl.b32 %r0, %r1, %r2;", 1, 40), 0u);
  EXPECT_EQ(evaluate("shr.u32 %r0, %r1, %r2;", 0x80000000, 31), 1u);
  EXPECT_EQ(evaluate("shr.s32 %r0, %r1, %r2;", 0x80000000, 99), 0xffffffffu);
  EXPECT_EQ(evaluate("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000, 1, 33),
            3u);
  EXPECT_EQ(evaluate("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 0, 5, 32), 5u);
}

TEST(Bits, Lop3PrmtFields) {
  // 0xE8 is the majority of three, 0x96 their parity.
  EXPECT_EQ(evaluate("lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", 0xc, 0xa, 0x9), 8u);
  EXPECT_EQ(evaluate("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 0xc, 0xa, 0x9),
            0xfu);
  EXPECT_EQ(evaluate("prmt.b32 %r0, %r1, %r2, 0x5410;", 0x11112222, 0x33334444),
            0x44442222u);
  EXPECT_EQ(evaluate("prmt.b32 %r0, %r1, %r2, 0x0008;", 0x80, 0), 0x808080ffu);
  EXPECT_EQ(evaluate("bfe.u32 %r0, %r1, 4, 8;", 0x12345), 0x34u);
  EXPECT_EQ(evaluate("bfe.s32 %r0, %r1, 4, 8;", 0xf80), 0xfffffff8u);
  EXPECT_EQ(evaluate("bfi.b32 %r0, %r1, %r2, 8, 4;", 0xabc, 0x11111), 0x11c11u);
  EXPECT_EQ(evaluate("popc.b32 %r0, %r1;", 0xf0f), 8u);
  EXPECT_EQ(evaluate("clz.b32 %r0, %r1;", 0xf), 28u);
  EXPECT_EQ(evaluate("bfind.u32 %r0, %r1;", 0xf0), 7u);
  EXPECT_EQ(evaluate("brev.b32 %r0, %r1;", 1), 0x80000000u);
}

TEST(Move, PackAndUnpack) {
  EXPECT_EQ(evaluate("mov.b32 %r0, {%h1, %h2};", 0x1234, 0x5678), 0x56781234u);
  EXPECT_EQ(evaluate("mov.b64 %rd0, {%r1, %r2};", 1, 2), 0x200000001ull);
  EXPECT_EQ(evaluate("mov.b64 {%r4, %r0}, %rd1;", 0x700000001ull), 7u);
  EXPECT_EQ(evaluate("mov.b32 {_, %h4}, %r1; cvt.u32.u16 %r0, %h4;", 0x90001),
            9u);
}

TEST(Compare, IntegersAndFloats) {
  const char *select = " selp.u32 %r0, 1, 2, %p1;";
  const auto run = [&](const std::string &setp, uint64_t a, uint64_t b) {
    return evaluate(setp + " %p1, %r1, %r2;" + select, a, b);
  };
  EXPECT_EQ(run("setp.lt.s32", uint32_t(-1), 0), 1u);
  EXPECT_EQ(run("setp.lt.u32", uint32_t(-1), 0), 2u);
  EXPECT_EQ(run("setp.hi.u32", uint32_t(-1), 0), 1u);
  const auto floats = [&](const std::string &setp, float a, float b) {
    return evaluate(setp + " %p1, %f1, %f2;" + select, bits(a), bits(b));
  };
  EXPECT_EQ(floats("setp.lt.f32", 1, 2), 1u);
  EXPECT_EQ(floats("setp.ltu.f32", NAN, 2), 1u);
  EXPECT_EQ(floats("setp.neu.f32", NAN, NAN), 1u);
  EXPECT_EQ(floats("setp.ne.f32", NAN, NAN), 2u);
  EXPECT_EQ(floats("setp.nan.f32", NAN, 0), 1u);
  EXPECT_EQ(evaluate("setp.eq.s32 %p2, %r1, 1; setp.lt.and.s32 %p1|%p3, %r1, "
                     "%r2, !%p2; selp.u32 %r4, 10, 20, %p1; selp.u32 %r5, 1, "
                     "2, %p3; add.u32 %r0, %r4, %r5;",
                     0, 5),
            12u); // p1 = true, p3 = false
  EXPECT_EQ(evaluate("setp.eq.s32 %p1, %r1, 0; @!%p1 bra skip; mov.u32 %r0, 7; "
                     "skip:",
                     0),
            7u);
}

TEST(Float, ArithmeticIsTheHosts) {
  const float a = 1.1f, b = -3.7f, c = 0.3f;
  const auto run = [&](const std::string &op) {
    return asFloat(
        evaluate(op + " mov.b32 %r0, %f4;", bits(a), bits(b), bits(c)));
  };
  EXPECT_EQ(run("add.f32 %f4, %f1, %f2;"), a + b);
  EXPECT_EQ(run("sub.rn.f32 %f4, %f1, %f2;"), a - b);
  EXPECT_EQ(run("mul.f32 %f4, %f1, %f2;"), a * b);
  EXPECT_EQ(run("div.rn.f32 %f4, %f1, %f2;"), a / b);
  EXPECT_EQ(run("fma.rn.f32 %f4, %f1, %f2, %f3;"), std::fma(a, b, c));
  EXPECT_EQ(run("neg.f32 %f4, %f1;"), -a);
  EXPECT_EQ(run("abs.f32 %f4, %f2;"), -b);
  EXPECT_EQ(run("sqrt.rn.f32 %f4, %f1;"), std::sqrt(a));
  EXPECT_EQ(run("max.f32 %f4, %f1, %f2;"), a);
  EXPECT_EQ(run("min.f32 %f4, %f1, %f2;"), b);
  EXPECT_FLOAT_EQ(run("rcp.approx.ftz.f32 %f4, %f1;"), 1 / a);
  EXPECT_FLOAT_EQ(run("rsqrt.approx.f32 %f4, %f1;"), 1 / std::sqrt(a));
  EXPECT_FLOAT_EQ(run("ex2.approx.f32 %f4, %f2;"), std::exp2(b));
  EXPECT_FLOAT_EQ(run("lg2.approx.f32 %f4, %f1;"), std::log2(a));
  EXPECT_FLOAT_EQ(run("tanh.approx.f32 %f4, %f1;"), std::tanh(a));
  EXPECT_FLOAT_EQ(run("sin.approx.f32 %f4, %f1;"), std::sin(a));
  EXPECT_FLOAT_EQ(run("cos.approx.f32 %f4, %f1;"), std::cos(a));
  // 1 + 2^-30 lies between 1 and the next float.
  const auto rounded = [&](const std::string &mode) {
    return asFloat(evaluate("add." + mode +
                                ".f32 %f4, %f1, %f2; mov.b32 %r0, "
                                "%f4;",
                            bits(1.0f), bits(0x1p-30f)));
  };
  EXPECT_EQ(rounded("rz"), 1.0f);
  EXPECT_EQ(rounded("rp"), 1.0f + 0x1p-23f);
  EXPECT_EQ(rounded("rm"), 1.0f);
}

TEST(Float, NanFlushSaturate) {
  const auto run = [&](const std::string &op, float a, float b = 0) {
    return asFloat(evaluate(op + " mov.b32 %r0, %f4;", bits(a), bits(b)));
  };
  EXPECT_EQ(run("max.f32 %f4, %f1, %f2;", NAN, 2), 2.0f);
  EXPECT_TRUE(std::isnan(run("max.NaN.f32 %f4, %f1, %f2;", NAN, 2)));
  EXPECT_EQ(run("add.ftz.f32 %f4, %f1, %f2;", 0x1p-130f, 0), 0.0f);
  EXPECT_EQ(run("add.f32 %f4, %f1, %f2;", 0x1p-130f, 0), 0x1p-130f);
  EXPECT_EQ(run("add.sat.f32 %f4, %f1, %f2;", 3, 4), 1.0f);
  EXPECT_EQ(run("add.sat.f32 %f4, %f1, %f2;", NAN, 4), 0.0f);
  EXPECT_EQ(run("ex2.approx.f32 %f4, %f1;", -INFINITY), 0.0f);
}

TEST(Float, Double) {
  const double a = 1.1, b = -3.7;
  uint64_t x, y;
  std::memcpy(&x, &a, 8);
  std::memcpy(&y, &b, 8);
  const uint64_t r = evaluate("mov.b64 %fd1, %rd1; mov.b64 %fd2, %rd2; "
                              "fma.rn.f64 %fd3, %fd1, %fd2, 0d3FF0000000000000;"
                              " mov.b64 %rd0, %fd3;",
                              x, y);
  double got;
  std::memcpy(&got, &r, 8);
  EXPECT_EQ(got, std::fma(a, b, 1.0));
}

TEST(Float, InlineConstants) {
  EXPECT_EQ(evaluate("mov.f32 %f4, 0fBF800000; mov.b32 %r0, %f4;", 0),
            bits(-1.0f));
  EXPECT_EQ(
      evaluate("mul.f32 %f4, %f1, 0f3FB8AA3B; mov.b32 %r0, %f4;", bits(1.0f)),
      0x3FB8AA3Bu);
}

} // namespace
