// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs are large, and nearly all of their elements pass by far. So a block
// of them is asked first, in float32 and without branches, whether all pass
// beyond doubt; float64 decides about the others.
#include "gate_elements.h"

#include "half.h"
#include "module_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hk {
namespace {

using schema::DType;

/// Elements that are asked at once: two blocks stay in the first-level cache.
constexpr uint64_t kBlock = 1024;
/// Independent results, so that compilers use vectors without reordering.
constexpr uint64_t kLanes = 16;
static_assert(kBlock % kLanes == 0);
/// Rounding to float32 is 6e-8 of a value; this leaves it far behind.
constexpr float kBeyondDoubt = 0.999f;

template <typename T> T load(const uint8_t *bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Exact, as Float16::toDouble is, without branches.
float widenF16(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  // The exponents' biases differ by 112; a product is right for subnormals too.
  // Infinity and NaN become large, so their exponent is filled.
  const float value = fromBits(magnitude << 13) * fromBits((127u + 112) << 23);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits |= magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return fromBits(bits | (half & 0x8000u) << 16);
}

/// The elements of a block as float32, in which they are exact: where they lie,
/// or else in `space`.
const float *floatsOf(DType dtype, const uint8_t *bytes, uint64_t begin,
                      float *space) {
  if (dtype == DType::F32) {
    const uint8_t *start = bytes + begin * sizeof(float);
    if (reinterpret_cast<uintptr_t>(start) % alignof(float) == 0)
      return reinterpret_cast<const float *>(start);
    std::memcpy(space, start, kBlock * sizeof(float));
    return space;
  }
  uint16_t narrow[kBlock];
  std::memcpy(narrow, bytes + begin * sizeof(uint16_t), sizeof(narrow));
  if (dtype == DType::F16)
    for (uint64_t i = 0; i < kBlock; ++i)
      space[i] = widenF16(narrow[i]);
  else
    for (uint64_t i = 0; i < kBlock; ++i)
      space[i] = fromBits(static_cast<uint32_t>(narrow[i]) << 16);
  return space;
}

bool isNarrowFloat(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

/// Whether all of kBlock elements pass beyond doubt; `maxError` grows with
/// those that do.
bool surelyPass(const float *got, const float *expected, double &maxError) {
  constexpr float kAbsolute = kBeyondDoubt * static_cast<float>(kGateAbsolute);
  constexpr float kRelative = kBeyondDoubt * static_cast<float>(kGateRelative);
  // Neither an infinite reference nor an error that overflows is beyond doubt.
  constexpr float kLargest = std::numeric_limits<float>::max();
  float most[kLanes] = {};
  uint32_t doubtful[kLanes] = {};
  for (uint64_t i = 0; i < kBlock; i += kLanes)
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      const float reference = expected[i + lane];
      const float error = std::fabs(got[i + lane] - reference);
      float allowed = kRelative * std::fabs(reference);
      allowed = allowed < kAbsolute ? kAbsolute : allowed;
      allowed = allowed < kLargest ? allowed : kLargest;
      doubtful[lane] |= error <= allowed ? 0u : 1u;
      most[lane] = most[lane] < error ? error : most[lane];
    }
  uint32_t any = 0;
  for (uint32_t one : doubtful)
    any |= one;
  if (any)
    return false;
  maxError = std::max<double>(maxError, *std::max_element(most, most + kLanes));
  return true;
}

void compareExactly(DType dtype, const uint8_t *got, const uint8_t *expected,
                    uint64_t begin, uint64_t end, GateFindings &findings) {
  const double absolute = isFloat(dtype) ? kGateAbsolute : 0;
  const double relative = isFloat(dtype) ? kGateRelative : 0;
  for (uint64_t i = begin; i < end; ++i) {
    const double reference = elementOf(dtype, expected, i);
    const double value = elementOf(dtype, got, i);
    if (!std::isfinite(reference)) {
      ++findings.leftOut;
      continue;
    }
    const double error = std::fabs(value - reference);
    const double allowed = std::max(absolute, relative * std::fabs(reference));
    if (std::isfinite(value))
      findings.maxError = std::max(findings.maxError, error);
    if (error <= allowed)
      continue;
    ++findings.failed;
    const double ratio = std::isfinite(value) && allowed > 0
                             ? error / allowed
                             : std::numeric_limits<double>::infinity();
    if (ratio > findings.worstRatio) {
      findings.worst = i;
      findings.worstRatio = ratio;
    }
  }
}

} // namespace

double elementOf(DType dtype, const uint8_t *bytes, uint64_t index) {
  switch (dtype) {
  case DType::F64:
    return load<double>(bytes, index);
  case DType::F32:
    return load<float>(bytes, index);
  case DType::F16:
    return Float16::toDouble(load<uint16_t>(bytes, index));
  case DType::BF16:
    return BFloat16::toDouble(load<uint16_t>(bytes, index));
  case DType::I32:
    return load<int32_t>(bytes, index);
  default:
    return bytes[index] != 0;
  }
}

void compareElements(DType dtype, const uint8_t *got, const uint8_t *expected,
                     uint64_t begin, uint64_t end, GateFindings &findings) {
  float gotSpace[kBlock], expectedSpace[kBlock];
  while (begin < end) {
    const uint64_t count = std::min(kBlock, end - begin);
    if (!isNarrowFloat(dtype) || count < kBlock ||
        !surelyPass(floatsOf(dtype, got, begin, gotSpace),
                    floatsOf(dtype, expected, begin, expectedSpace),
                    findings.maxError))
      compareExactly(dtype, got, expected, begin, begin + count, findings);
    begin += count;
  }
}

uint64_t countNotFinite(DType dtype, const uint8_t *bytes, uint64_t begin,
                        uint64_t end, uint64_t &first) {
  if (!isFloat(dtype))
    return 0;
  uint64_t found = 0;
  float space[kBlock];
  while (begin < end) {
    const uint64_t count = std::min(kBlock, end - begin);
    bool maybe = true;
    if (isNarrowFloat(dtype) && count == kBlock) {
      const float *floats = floatsOf(dtype, bytes, begin, space);
      uint32_t bad[kLanes] = {};
      for (uint64_t i = 0; i < kBlock; i += kLanes)
        for (uint64_t lane = 0; lane < kLanes; ++lane)
          bad[lane] |=
              std::fabs(floats[i + lane]) <= std::numeric_limits<float>::max()
                  ? 0u
                  : 1u;
      maybe = std::any_of(bad, bad + kLanes, [](uint32_t one) { return one; });
    }
    for (uint64_t i = begin; maybe && i < begin + count; ++i)
      if (!std::isfinite(elementOf(dtype, bytes, i))) {
        ++found;
        first = std::min(first, i);
      }
    begin += count;
  }
  return found;
}

} // namespace hk
