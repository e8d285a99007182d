// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strips: runs of rows or columns in an order that gives lanes what lies beside
// each other in memory (docs/tile.md).

#ifndef HK_DIALECT_STRIPS_H
#define HK_DIALECT_STRIPS_H

#include <cstdint>

namespace hk {

/// Whether `size` rows or columns may be strips of `width`; those of 8 leave all
/// in its place. The runtime checks the same of module files.
constexpr bool areStrips(int64_t width, int64_t size) {
  return (width == 8 || width == 16 || width == 32) && size % width == 0;
}

} // namespace hk

#endif // HK_DIALECT_STRIPS_H
