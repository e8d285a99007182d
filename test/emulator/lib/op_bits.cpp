// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts and bit fields.
#include "lanes.h"

#include <algorithm>
#include <type_traits>

namespace hk::emulator {
namespace {

struct And {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T> static T apply(const Instruction &, T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <typename T> static T apply(const Instruction &, T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <typename T> static T apply(const Instruction &, T a) {
    return static_cast<T>(a == 0);
  }
};

template <typename Op> Handler bits2(Type type) {
  switch (typeSize(type)) {
  case 1:
    return lanes2<Op, uint8_t>;
  case 2:
    return lanes2<Op, uint16_t>;
  case 4:
    return lanes2<Op, uint32_t>;
  default:
    return lanes2<Op, uint64_t>;
  }
}

template <typename Op> Handler bits1(Type type) {
  switch (typeSize(type)) {
  case 1:
    return lanes1<Op, uint8_t>;
  case 2:
    return lanes1<Op, uint16_t>;
  case 4:
    return lanes1<Op, uint32_t>;
  default:
    return lanes1<Op, uint64_t>;
  }
}

template <typename Op> void decodeLogic(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 2);
  d.result.run = bits2<Op>(type);
}

void decodeNot(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 1);
  d.result.run =
      type == Type::Pred ? bits1<LogicalNot>(type) : bits1<Not>(type);
}

void decodeCnot(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 1);
  d.result.run = bits1<LogicalNot>(type);
}

/// Shifts clamp their amount, which is always 32 bits.
template <typename T, bool Left>
void shift(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  constexpr uint32_t kBits = 8 * sizeof(T);
  setLanes(x, i.to, mask, [&](unsigned l) {
    const T value = get<T>(a[l]);
    const auto amount = static_cast<uint32_t>(b[l]);
    if (amount >= kBits)
      return put<T>(!Left && value < T(0) ? static_cast<T>(-1) : T(0));
    return put<T>(static_cast<T>(Left ? static_cast<uint64_t>(value) << amount
                                      : value >> amount));
  });
}

void decodeShl(Decoder &d) {
  const unsigned size = typeSize(d.takeType());
  operands(d, 2);
  d.result.run = size == 2   ? shift<uint16_t, true>
                 : size == 4 ? shift<uint32_t, true>
                             : shift<uint64_t, true>;
}

void decodeShr(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 2);
  const unsigned size = typeSize(type);
  if (isSigned(type))
    d.result.run = size == 2   ? shift<int16_t, false>
                   : size == 4 ? shift<int32_t, false>
                               : shift<int64_t, false>;
  else
    d.result.run = size == 2   ? shift<uint16_t, false>
                   : size == 4 ? shift<uint32_t, false>
                               : shift<uint64_t, false>;
}

/// shf.l and shf.r on the 64 bits {b, a}.
struct Funnel {
  static uint32_t apply(const Instruction &i, uint32_t a, uint32_t b,
                        uint32_t c) {
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    const bool left = i.flags & 1, wraps = i.flags & 2;
    const uint32_t n = wraps ? c & 31 : (c < 32 ? c : 32);
    return static_cast<uint32_t>(left ? (both << n) >> 32 : both >> n);
  }
};

void decodeShf(Decoder &d) {
  const bool left = d.take("l");
  if (!left && !d.take("r"))
    d.fail("expects '.l' or '.r'");
  const bool wraps = d.take("wrap");
  if (!wraps && !d.take("clamp"))
    d.fail("expects '.wrap' or '.clamp'");
  d.takeType();
  operands(d, 3);
  d.result.flags = static_cast<uint16_t>((left ? 1 : 0) | (wraps ? 2 : 0));
  d.result.run = lanes3<Funnel, uint32_t>;
}

struct Lop3 {
  static uint32_t apply(const Instruction &i, uint32_t a, uint32_t b,
                        uint32_t c) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (i.option >> k & 1)
        result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
  }
};

void decodeLop3(Decoder &d) {
  d.takeType();
  d.expectOperands(5, 5);
  d.result.to = d.destination(0);
  for (unsigned i = 0; i < 3; ++i)
    d.result.from[i] = d.source(i + 1);
  d.result.option = static_cast<uint32_t>(d.immediate(4));
  d.result.run = lanes3<Lop3, uint32_t>;
}

/// prmt without a mode: each selector picks a byte of {b, a}, or its sign.
struct Permute {
  static uint32_t apply(const Instruction &, uint32_t a, uint32_t b,
                        uint32_t c) {
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const uint32_t selector = c >> (4 * k) & 15;
      uint32_t byte = both >> (8 * (selector & 7)) & 0xff;
      if (selector & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * k);
    }
    return result;
  }
};

void decodePrmt(Decoder &d) {
  d.takeType();
  operands(d, 3);
  d.result.run = lanes3<Permute, uint32_t>;
}

template <typename T>
void extract(Execution &x, const Instruction &i, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask),
                 *c = x.read(i.from[2], mask);
  constexpr uint32_t kBits = 8 * sizeof(T);
  setLanes(x, i.to, mask, [&](unsigned l) {
    const uint32_t position = b[l] & 0xff, length = c[l] & 0xff;
    const U value = get<U>(a[l]);
    if (length == 0)
      return uint64_t(0);
    const uint32_t last = std::min(position + length - 1, kBits - 1);
    const bool sign = std::is_signed_v<T> && value >> last & 1;
    U result = 0;
    for (uint32_t k = 0; k < kBits; ++k) {
      const uint32_t from = position + k;
      const bool bit = k < length && from < kBits ? value >> from & 1 : sign;
      result = static_cast<U>(result | static_cast<U>(bit) << k);
    }
    return put<U>(result);
  });
}

void decodeBfe(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 3);
  d.result.run = type == Type::U32   ? extract<uint32_t>
                 : type == Type::S32 ? extract<int32_t>
                 : type == Type::U64 ? extract<uint64_t>
                                     : extract<int64_t>;
}

template <typename T>
void insert(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask),
                 *c = x.read(i.from[2], mask), *e = x.read(i.from[3], mask);
  constexpr uint32_t kBits = 8 * sizeof(T);
  setLanes(x, i.to, mask, [&](unsigned l) {
    const uint32_t position = c[l] & 0xff, length = e[l] & 0xff;
    T result = get<T>(b[l]);
    for (uint32_t k = 0; k < length && position + k < kBits; ++k) {
      const T bit = T(1) << (position + k);
      result = get<T>(a[l]) >> k & 1 ? result | bit : result & ~bit;
    }
    return put<T>(result);
  });
}

void decodeBfi(Decoder &d) {
  const Type type = d.takeType();
  operands(d, 4);
  d.result.run = typeSize(type) == 4 ? insert<uint32_t> : insert<uint64_t>;
}

/// Counts are 32 bits wide whatever they count.
template <typename F>
void counted(Execution &x, const Instruction &i, uint32_t mask, F f) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask, [&](unsigned l) {
    return static_cast<uint64_t>(static_cast<uint32_t>(f(a[l])));
  });
}

void popc(Execution &x, const Instruction &i, uint32_t mask) {
  counted(x, i, mask, [](uint64_t v) { return __builtin_popcountll(v); });
}

void clz32(Execution &x, const Instruction &i, uint32_t mask) {
  counted(x, i, mask, [](uint64_t v) {
    const auto value = static_cast<uint32_t>(v);
    return value ? __builtin_clz(value) : 32;
  });
}

void clz64(Execution &x, const Instruction &i, uint32_t mask) {
  counted(x, i, mask, [](uint64_t v) { return v ? __builtin_clzll(v) : 64; });
}

void bfind(Execution &x, const Instruction &i, uint32_t mask) {
  counted(x, i, mask, [&](uint64_t v) {
    const bool narrow = typeSize(i.type) == 4;
    if (isSigned(i.type)) {
      const int64_t value = narrow ? get<int32_t>(v) : static_cast<int64_t>(v);
      v = static_cast<uint64_t>(value < 0 ? ~value : value);
    }
    const int found = v ? 63 - __builtin_clzll(v) : -1;
    return i.flags && found >= 0 ? (narrow ? 31 : 63) - found : found;
  });
}

struct Reverse {
  template <typename T> static T apply(const Instruction &, T a) {
    T result = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k)
      result |= (a >> k & 1) << (8 * sizeof(T) - 1 - k);
    return result;
  }
};

} // namespace

void addBitInstructions(DecodeTable &table) {
  table["and"] = decodeLogic<And>;
  table["or"] = decodeLogic<Or>;
  table["xor"] = decodeLogic<Xor>;
  table["not"] = decodeNot;
  table["cnot"] = decodeCnot;
  table["shl"] = decodeShl;
  table["shr"] = decodeShr;
  table["shf"] = decodeShf;
  table["lop3"] = decodeLop3;
  table["prmt"] = decodePrmt;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["popc"] = [](Decoder &d) {
    d.takeType();
    operands(d, 1);
    d.result.run = popc;
  };
  table["clz"] = [](Decoder &d) {
    const Type type = d.takeType();
    operands(d, 1);
    d.result.run = typeSize(type) == 4 ? clz32 : clz64;
  };
  table["bfind"] = [](Decoder &d) {
    d.result.type = d.takeType();
    d.result.flags = d.take("shiftamt");
    operands(d, 1);
    d.result.run = bfind;
  };
  table["brev"] = [](Decoder &d) {
    const Type type = d.takeType();
    operands(d, 1);
    d.result.run = typeSize(type) == 4 ? lanes1<Reverse, uint32_t>
                                       : lanes1<Reverse, uint64_t>;
  };
}

} // namespace hk::emulator
