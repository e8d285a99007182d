// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hk {

uint64_t hashBytes(const void *data, size_t size) {
  return XXH3_64bits(data, size);
}

std::string hexString(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4)
    text += kDigits[(value >> shift) & 15];
  return text;
}

} // namespace hk
