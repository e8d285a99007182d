// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic.
#include "lanes.h"

#include <limits>
#include <type_traits>

namespace hk::emulator {
namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

// Arithmetic wraps around: it is done on unsigned values, and at least 32 bits
// wide, so that C++ promotes nothing to int.
template <typename T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

struct Add {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(Wide<T>(a) + Wide<T>(b));
  }
};
struct AddSaturated {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    T sum;
    if (!__builtin_add_overflow(a, b, &sum))
      return sum;
    return b < 0 ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
  }
};
struct Sub {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(Wide<T>(a) - Wide<T>(b));
  }
};
struct MulLow {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(Wide<T>(a) * Wide<T>(b));
  }
};
struct MulHigh {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    using Double =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((Double(a) * Double(b)) >> (8 * sizeof(T)));
  }
};
struct MadLow {
  template <typename T> static T apply(const Instruction &i, T a, T b, T c) {
    return Add::apply(i, MulLow::apply(i, a, b), c);
  }
};
struct MadHigh {
  template <typename T> static T apply(const Instruction &i, T a, T b, T c) {
    return Add::apply(i, MulHigh::apply(i, a, b), c);
  }
};
struct Div {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    // What the hardware gives for a zero divisor is all ones.
    if (b == 0)
      return static_cast<T>(~Unsigned<T>(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return static_cast<T>(Wide<T>(0) - Wide<T>(a));
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    const T result = a < b ? a : b;
    return i.flags && result < 0 ? T(0) : result;
  }
};
struct Max {
  template <typename T> static T apply(const Instruction &i, T a, T b) {
    const T result = a > b ? a : b;
    return i.flags && result < 0 ? T(0) : result;
  }
};
struct Abs {
  template <typename T> static T apply(const Instruction &, T a) {
    return a < 0 ? static_cast<T>(Wide<T>(0) - Wide<T>(a)) : a;
  }
};
struct Neg {
  template <typename T> static T apply(const Instruction &, T a) {
    return static_cast<T>(Wide<T>(0) - Wide<T>(a));
  }
};
struct Sad {
  template <typename T> static T apply(const Instruction &, T a, T b, T c) {
    const Wide<T> difference =
        a < b ? Wide<T>(b) - Wide<T>(a) : Wide<T>(a) - Wide<T>(b);
    return static_cast<T>(difference + Wide<T>(c));
  }
};

#define HK_INTEGER_TYPES(SHAPE, OP)                                            \
  switch (type) {                                                              \
  case Type::U16:                                                              \
    return SHAPE<OP, uint16_t>;                                                \
  case Type::U32:                                                              \
    return SHAPE<OP, uint32_t>;                                                \
  case Type::U64:                                                              \
    return SHAPE<OP, uint64_t>;                                                \
  case Type::S16:                                                              \
    return SHAPE<OP, int16_t>;                                                 \
  case Type::S32:                                                              \
    return SHAPE<OP, int32_t>;                                                 \
  case Type::S64:                                                              \
    return SHAPE<OP, int64_t>;                                                 \
  default:                                                                     \
    return nullptr;                                                            \
  }

template <typename Op> Handler one(Type type) { HK_INTEGER_TYPES(lanes1, Op) }
template <typename Op> Handler two(Type type) { HK_INTEGER_TYPES(lanes2, Op) }
template <typename Op> Handler three(Type type) { HK_INTEGER_TYPES(lanes3, Op) }

/// mul.wide and mad.wide: the product has twice the bits.
template <typename T, typename D, bool Adds>
void wide(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  const uint64_t *c = Adds ? x.read(i.from[2], mask) : a;
  setLanes(x, i.to, mask, [&](unsigned l) {
    const auto product = static_cast<uint64_t>(D(get<T>(a[l]))) *
                         static_cast<uint64_t>(D(get<T>(b[l])));
    return put<D>(static_cast<D>(product + (Adds ? c[l] : 0)));
  });
}

template <bool Adds> Handler wideOf(Type type) {
  switch (type) {
  case Type::U16:
    return wide<uint16_t, uint32_t, Adds>;
  case Type::S16:
    return wide<int16_t, int32_t, Adds>;
  case Type::U32:
    return wide<uint32_t, uint64_t, Adds>;
  case Type::S32:
    return wide<int32_t, int64_t, Adds>;
  default:
    return nullptr;
  }
}

Handler multiply(Decoder &d, Type type, bool adds) {
  if (d.take("wide"))
    return adds ? wideOf<true>(type) : wideOf<false>(type);
  if (d.take("hi"))
    return adds ? three<MadHigh>(type) : two<MulHigh>(type);
  d.take("lo");
  return adds ? three<MadLow>(type) : two<MulLow>(type);
}

} // namespace

bool decodeInteger(Decoder &d, std::string_view name, Type type) {
  if (isFloat(type))
    return false;
  // abs, neg and sub of untyped bits do not exist; .b32 goes to no one.
  Handler run = nullptr;
  unsigned count = 2;
  if (name == "add") {
    run = d.take("sat") && type == Type::S32 ? lanes2<AddSaturated, int32_t>
                                             : two<Add>(type);
  } else if (name == "sub") {
    run = two<Sub>(type);
  } else if (name == "mul") {
    run = multiply(d, type, false);
  } else if (name == "mad") {
    run = multiply(d, type, true);
    count = 3;
  } else if (name == "div") {
    run = two<Div>(type);
  } else if (name == "rem") {
    run = two<Rem>(type);
  } else if (name == "min" || name == "max") {
    d.result.flags = d.take("relu");
    run = name == "min" ? two<Min>(type) : two<Max>(type);
  } else if (name == "abs") {
    run = one<Abs>(type);
    count = 1;
  } else if (name == "neg") {
    run = one<Neg>(type);
    count = 1;
  } else if (name == "sad") {
    run = three<Sad>(type);
    count = 3;
  }
  if (!run)
    return false;
  operands(d, count);
  d.result.run = run;
  return true;
}

} // namespace hk::emulator
