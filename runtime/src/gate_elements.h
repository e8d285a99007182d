// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy gate, element by element, in the host's memory.
#ifndef HK_RUNTIME_GATE_ELEMENTS_H
#define HK_RUNTIME_GATE_ELEMENTS_H

#include "module.h"

#include <cstdint>

namespace hk {

/// An element passes where it is finite and |y - ref| <= kGateAbsolute or
/// |y - ref| <= kGateRelative * |ref|; an integer where it is equal. One whose
/// reference is not finite has no right answer and is left out.
constexpr double kGateAbsolute = 2e-3;
constexpr double kGateRelative = 2e-2;

constexpr uint64_t kNoElement = UINT64_MAX;

/// What was found in a range of elements.
struct GateFindings {
  uint64_t failed = 0;
  uint64_t leftOut = 0;
  double maxError = 0; // of the elements that are finite, to f32's precision
  /// Of those that failed, the one whose error is the largest part of what is
  /// allowed, and that part.
  uint64_t worst = kNoElement;
  double worstRatio = 0;
};

/// Adds what the elements [begin, end) of two arrays show.
void compareElements(schema::DType dtype, const uint8_t *got,
                     const uint8_t *expected, uint64_t begin, uint64_t end,
                     GateFindings &findings);

/// How many of the elements [begin, end) are not finite, and the first of them
/// (or as it was).
uint64_t countNotFinite(schema::DType dtype, const uint8_t *bytes,
                        uint64_t begin, uint64_t end, uint64_t &first);

/// An element as float64, in which every type is exact.
double elementOf(schema::DType dtype, const uint8_t *bytes, uint64_t index);

} // namespace hk

#endif // HK_RUNTIME_GATE_ELEMENTS_H
