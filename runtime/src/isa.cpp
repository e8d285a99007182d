// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hk {

const char *isaName(Isa isa) {
  switch (isa) {
  case Isa::None:
    return "none";
  case Isa::Baseline:
    return "x86-64";
  case Isa::V3:
    return "x86-64-v3";
  case Isa::V4:
    return "x86-64-v4";
  }
  return "none";
}

std::optional<Isa> parseIsa(std::string_view name) {
  for (Isa isa : {Isa::Baseline, Isa::V3, Isa::V4})
    if (name == isaName(isa))
      return isa;
  return std::nullopt;
}

#if defined(__x86_64__)
namespace {

/// The register states that the operating system saves (XCR0).
uint64_t savedStates() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

constexpr bool has(uint64_t value, uint64_t mask) {
  return (value & mask) == mask;
}

constexpr uint32_t bit(int index) { return 1u << index; }

} // namespace

Isa detectIsa() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return Isa::Baseline;
  // SSE3, SSSE3, FMA, CX16, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C
  const uint32_t leaf1 = bit(0) | bit(9) | bit(12) | bit(13) | bit(19) |
                         bit(20) | bit(22) | bit(23) | bit(27) | bit(28) |
                         bit(29);
  if (!has(c, leaf1) || !has(savedStates(), 0x6)) // XMM, YMM
    return Isa::Baseline;

  uint32_t ea, eb, ec, ed;
  // LAHF, LZCNT
  if (!__get_cpuid(0x80000001, &ea, &eb, &ec, &ed) || !has(ec, bit(0) | bit(5)))
    return Isa::Baseline;

  uint32_t sa, sb, sc, sd;
  // BMI1, AVX2, BMI2
  if (!__get_cpuid_count(7, 0, &sa, &sb, &sc, &sd) ||
      !has(sb, bit(3) | bit(5) | bit(8)))
    return Isa::Baseline;

  // AVX-512 F, DQ, CD, BW, VL; and opmask, ZMM0-15, ZMM16-31
  const uint32_t avx512 = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
  if (!has(sb, avx512) || !has(savedStates(), 0xe6))
    return Isa::V3;
  return Isa::V4;
}
#else
Isa detectIsa() { return Isa::None; }
#endif

} // namespace hk
