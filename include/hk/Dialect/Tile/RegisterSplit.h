// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the registers of an SM are shared out in a kernel whose producers give
// theirs to the warps that compute (setmaxnreg).

#ifndef HK_DIALECT_TILE_REGISTERSPLIT_H
#define HK_DIALECT_TILE_REGISTERSPLIT_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hk::tile {

/// Registers of a thread: all are multiples of 8.
struct RegisterSplit {
  /// As the kernel starts; then of a producer, and of a consumer.
  int64_t launch, producer, consumer;

  /// What copies needs no more.
  static constexpr int64_t kProducer = 32;
  /// The most that a thread can have here.
  static constexpr int64_t kMost = 240;

  /// For `ctas` CTAs on an SM of `registers` registers, each of `units` warps
  /// that compute and `producers` that copy, whole warpgroups of both. Nothing
  /// if that gains nothing.
  static std::optional<RegisterSplit>
  get(int64_t units, int64_t producers, int64_t ctas, int64_t registers) {
    if (ctas < 1 || units % 4 != 0 || producers % 4 != 0 || producers < 4)
      return std::nullopt;
    int64_t threads = 32 * (units + producers);
    RegisterSplit split;
    split.launch = std::min(kMost, registers / ctas / threads / 8 * 8);
    split.producer = kProducer;
    int64_t left = split.launch * threads - kProducer * 32 * producers;
    split.consumer = std::min(kMost, left / (32 * units) / 8 * 8);
    if (split.consumer <= split.launch || split.producer >= split.launch)
      return std::nullopt;
    return split;
  }
};

} // namespace hk::tile

#endif // HK_DIALECT_TILE_REGISTERSPLIT_H
