// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 arithmetic. Approximations (.approx) give the correctly rounded
// result.
#include "float_format.h"
#include "lanes.h"

#include <cfenv>
#include <limits>

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kFtz = 1, kSaturate = 2, kPropagateNan = 4;

template <typename T> T flush(const Instruction &i, T value) {
  if ((i.flags & kFtz) && sizeof(T) == 4 &&
      std::fpclassify(value) == FP_SUBNORMAL)
    return std::copysign(T(0), value);
  return value;
}

template <typename T> T finish(const Instruction &i, T value) {
  value = flush(i, value);
  if (i.flags & kSaturate) // NaN becomes 0
    value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  return value;
}

/// Another rounding than to nearest; operands are opaque to the optimiser.
template <typename T, typename F> T rounded(const Instruction &i, F f) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                   FE_UPWARD};
  if (i.option == 0)
    return f();
  std::fesetround(kModes[i.option]);
  volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

#define HK_ROUNDED(EXPRESSION)                                                 \
  finish(i, rounded<T>(i, [&]() -> T { return EXPRESSION; }))

struct Add {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    volatile T p = flush(i, a), q = flush(i, b);
    return HK_ROUNDED(p + q);
  }
};
struct Sub {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    volatile T p = flush(i, a), q = flush(i, b);
    return HK_ROUNDED(p - q);
  }
};
struct Mul {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    volatile T p = flush(i, a), q = flush(i, b);
    return HK_ROUNDED(p * q);
  }
};
struct Div {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    volatile T p = flush(i, a), q = flush(i, b);
    return HK_ROUNDED(p / q);
  }
};
struct Fma {
  template <typename T> static T apply(const Instruction &i, T a, T b, T c) {
    volatile T p = flush(i, a), q = flush(i, b), r = flush(i, c);
    return HK_ROUNDED(std::fma(p, q, r));
  }
};

/// Of a NaN and a number: the number. -0 is less than +0.
template <typename T, bool Less> T pick(const Instruction &i, T a, T b) {
  a = flush(i, a);
  b = flush(i, b);
  if (std::isnan(a) || std::isnan(b)) {
    if ((i.flags & kPropagateNan) || (std::isnan(a) && std::isnan(b)))
      return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b)
    return std::signbit(a) == Less ? a : b;
  return (a < b) == Less ? a : b;
}
struct Min {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    return pick<T, true>(i, a, b);
  }
};
struct Max {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    return pick<T, false>(i, a, b);
  }
};
struct Abs {
  template <typename T> static T apply(const Instruction &i, T a) {
    return std::fabs(flush(i, a));
  }
};
struct Neg {
  template <typename T> static T apply(const Instruction &i, T a) {
    return -flush(i, a);
  }
};
struct CopySign {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return std::copysign(b, a);
  }
};

// Functions are computed in float64 and rounded once.
#define HK_FUNCTION(NAME, EXPRESSION)                                          \
  struct NAME {                                                                \
    template <typename T> static T apply(const Instruction &i, T a) {          \
      const auto v = static_cast<double>(flush(i, a));                         \
      return finish(i, static_cast<T>(EXPRESSION));                            \
    }                                                                          \
  };
HK_FUNCTION(Rcp, 1.0 / v)
HK_FUNCTION(Rsqrt, 1.0 / std::sqrt(v))
HK_FUNCTION(Ex2, std::exp2(v))
HK_FUNCTION(Lg2, std::log2(v))
HK_FUNCTION(Sin, std::sin(v))
HK_FUNCTION(Cos, std::cos(v))
HK_FUNCTION(Tanh, std::tanh(v))
#undef HK_FUNCTION

struct Sqrt {
  template <typename T> static T apply(const Instruction &i, T a) {
    volatile T p = flush(i, a);
    return HK_ROUNDED(std::sqrt(p));
  }
};

template <typename Op> Handler one(Type type) {
  return type == Type::F32 ? lanes1<Op, float> : lanes1<Op, double>;
}
template <typename Op> Handler two(Type type) {
  return type == Type::F32 ? lanes2<Op, float> : lanes2<Op, double>;
}
template <typename Op> Handler three(Type type) {
  return type == Type::F32 ? lanes3<Op, float> : lanes3<Op, double>;
}

// The common case, without volatile operands: the compiler vectorises it.
struct FastAdd {
  static float apply(const Instruction &, float a, float b) { return a + b; }
};
struct FastSub {
  static float apply(const Instruction &, float a, float b) { return a - b; }
};
struct FastMul {
  static float apply(const Instruction &, float a, float b) { return a * b; }
};
struct FastFma {
  static float apply(const Instruction &, float a, float b, float c) {
    return std::fma(a, b, c);
  }
};

template <typename T>
void testProperty(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) -> uint64_t {
    const T v = get<T>(a[l]);
    switch (i.option) {
    case 0:
      return std::isfinite(v);
    case 1:
      return std::isinf(v);
    case 2:
      return !std::isnan(v);
    case 3:
      return std::isnan(v);
    case 4:
      return std::isnormal(v) || v == T(0);
    default:
      return std::fpclassify(v) == FP_SUBNORMAL;
    }
  });
}

bool decodeTest(Decoder &d, Type type) {
  const int which = d.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (which < 0)
    d.fail("expects a property such as '.notanumber'");
  operands(d, 1);
  d.result.option = static_cast<uint32_t>(which);
  d.result.run = type == Type::F32 ? testProperty<float> : testProperty<double>;
  return true;
}

} // namespace

bool decodeFloat(Decoder &d, std::string_view name, Type type) {
  if (type != Type::F32 && type != Type::F64)
    return false;
  if (name == "testp")
    return decodeTest(d, type);
  const int rounding = d.takeOneOf({"rn", "rz", "rm", "rp"});
  d.result.option = rounding > 0 ? static_cast<uint32_t>(rounding) : 0;
  d.take("approx");
  d.take("full");
  d.result.flags = static_cast<uint16_t>((d.take("ftz") ? kFtz : 0) |
                                         (d.take("sat") ? kSaturate : 0) |
                                         (d.take("NaN") ? kPropagateNan : 0));
  const bool plain =
      type == Type::F32 && d.result.option == 0 && d.result.flags == 0;
  Handler run = nullptr;
  unsigned count = 1;
  if (name == "add" || name == "sub" || name == "mul" || name == "div" ||
      name == "min" || name == "max" || name == "copysign") {
    count = 2;
    run = name == "add"   ? (plain ? lanes2<FastAdd, float> : two<Add>(type))
          : name == "sub" ? (plain ? lanes2<FastSub, float> : two<Sub>(type))
          : name == "mul" ? (plain ? lanes2<FastMul, float> : two<Mul>(type))
          : name == "div" ? two<Div>(type)
          : name == "min" ? two<Min>(type)
          : name == "max" ? two<Max>(type)
                          : two<CopySign>(type);
  } else if (name == "fma" || name == "mad") {
    count = 3;
    run = plain ? lanes3<FastFma, float> : three<Fma>(type);
  } else {
    run = name == "abs"     ? one<Abs>(type)
          : name == "neg"   ? one<Neg>(type)
          : name == "rcp"   ? one<Rcp>(type)
          : name == "sqrt"  ? one<Sqrt>(type)
          : name == "rsqrt" ? one<Rsqrt>(type)
          : name == "ex2"   ? one<Ex2>(type)
          : name == "lg2"   ? one<Lg2>(type)
          : name == "sin"   ? one<Sin>(type)
          : name == "cos"   ? one<Cos>(type)
          : name == "tanh"  ? one<Tanh>(type)
                            : nullptr;
  }
  if (!run)
    return false;
  operands(d, count);
  d.result.run = run;
  return true;
}

} // namespace hk::emulator
