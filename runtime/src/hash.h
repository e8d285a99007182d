// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_HASH_H
#define HK_RUNTIME_HASH_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace hk {

/// XXH3 64 with seed 0: the hash of a module file's metadata and sections.
uint64_t hashBytes(const void *data, size_t size);

/// "0x0123456789abcdef"
std::string hexString(uint64_t value);

} // namespace hk

#endif // HK_RUNTIME_HASH_H
