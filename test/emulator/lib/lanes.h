// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers made of a function on values: one call a lane.
#ifndef HK_EMULATOR_LANES_H
#define HK_EMULATOR_LANES_H

#include "decoder.h"

namespace hk::emulator {

template <typename T> T get(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename T> uint64_t put(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// Writes `f(lane)` to the lanes of `mask`. It is called for the others too:
/// f must be defined for any value.
template <typename F>
void setLanes(Execution &x, uint32_t reg, uint32_t mask, F f) {
  uint64_t *to = x.write(reg, mask);
  if (mask == ~uint32_t(0)) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      to[lane] = f(lane);
    return;
  }
  eachLane(mask, [&](unsigned lane) { to[lane] = f(lane); });
}

/// `Op::apply(const Instruction &, T...)`, one to three operands.
template <typename Op, typename T>
void lanes1(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask);
  setLanes(x, i.to, mask,
           [&](unsigned l) { return put<T>(Op::apply(i, get<T>(a[l]))); });
}

template <typename Op, typename T>
void lanes2(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask);
  setLanes(x, i.to, mask, [&](unsigned l) {
    return put<T>(Op::apply(i, get<T>(a[l]), get<T>(b[l])));
  });
}

template <typename Op, typename T>
void lanes3(Execution &x, const Instruction &i, uint32_t mask) {
  const uint64_t *a = x.read(i.from[0], mask), *b = x.read(i.from[1], mask),
                 *c = x.read(i.from[2], mask);
  setLanes(x, i.to, mask, [&](unsigned l) {
    return put<T>(Op::apply(i, get<T>(a[l]), get<T>(b[l]), get<T>(c[l])));
  });
}

inline uint64_t lowBits(Type type, uint64_t bits) {
  const unsigned size = typeSize(type);
  return size == 8 ? bits : bits & ((uint64_t(1) << (8 * size)) - 1);
}

/// `Run`, then the result cut to the width of its register: extended numbers
/// and negative constants come as 64 bits.
template <Handler Run>
void narrowed(Execution &x, const Instruction &i, uint32_t mask) {
  Run(x, i, mask);
  uint64_t *to = x.raw(i.to);
  const Type type = x.launch.program->registerTypes[i.to];
  eachLane(mask, [&](unsigned l) { to[l] = lowBits(type, to[l]); });
}

/// The operands of d = op(a, ...), `count` sources.
inline void operands(Decoder &d, unsigned count) {
  d.expectOperands(count + 1, count + 1);
  d.result.to = d.destination(0);
  for (unsigned i = 0; i < count; ++i)
    d.result.from[i] = d.source(i + 1);
}

} // namespace hk::emulator

#endif // HK_EMULATOR_LANES_H
