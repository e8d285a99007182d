// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic on numbers read from files: false where it overflows.
#ifndef HK_RUNTIME_CHECKED_H
#define HK_RUNTIME_CHECKED_H

#include <cstdint>

namespace hk {

[[nodiscard]] inline bool multiply(uint64_t a, uint64_t b, uint64_t &result) {
  return !__builtin_mul_overflow(a, b, &result);
}

[[nodiscard]] inline bool add(uint64_t a, uint64_t b, uint64_t &result) {
  return !__builtin_add_overflow(a, b, &result);
}

/// result = a * b + c
[[nodiscard]] inline bool multiplyAdd(uint64_t a, uint64_t b, uint64_t c,
                                      uint64_t &result) {
  return multiply(a, b, result) && add(result, c, result);
}

/// The next multiple of `alignment`, a power of two.
[[nodiscard]] inline bool alignUp(uint64_t value, uint64_t alignment,
                                  uint64_t &result) {
  if (!add(value, alignment - 1, result))
    return false;
  result &= ~(alignment - 1);
  return true;
}

} // namespace hk

#endif // HK_RUNTIME_CHECKED_H
