// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The deterministic generator behind random inputs and parameters.
#ifndef HK_TOOLS_COMMON_RANDOM_H
#define HK_TOOLS_COMMON_RANDOM_H

#include <cmath>
#include <cstdint>
#include <string>

namespace hk::tools {

/// SplitMix64 as a counter: draw i of a stream is mix(start + (i + 1) * phi),
/// so any draw can be had without those before it. The stream of a tensor
/// starts at mix(seed) + FNV-1a-64(name): its values depend on the seed and on
/// its name, but not on what else is generated, nor in which order.
class RandomStream {
public:
  explicit RandomStream(uint64_t start) : start(start) {}
  RandomStream(uint64_t seed, const std::string &name)
      : start(mix(seed) + hash(name)) {}

  uint64_t bits(uint64_t index) const {
    return mix(start + (index + 1) * 0x9e3779b97f4a7c15u);
  }
  /// In [0, 1), a multiple of 2^-53.
  double uniform(uint64_t index) const {
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }
  double uniform(uint64_t index, double low, double high) const {
    return low + (high - low) * uniform(index);
  }
  /// Standard normal (Box-Muller); draws 2 * index and 2 * index + 1.
  double normal(uint64_t index) const {
    double radius = std::sqrt(-2.0 * std::log1p(-uniform(2 * index)));
    return radius * std::cos(6.283185307179586 * uniform(2 * index + 1));
  }
  /// In [0, bound); bound is positive. The bias is below bound * 2^-53.
  uint64_t below(uint64_t index, uint64_t bound) const {
    return static_cast<uint64_t>(uniform(index) * static_cast<double>(bound));
  }

private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  static uint64_t hash(const std::string &text) {
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned char c : text)
      h = (h ^ c) * 0x100000001b3u;
    return h;
  }
  uint64_t start;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_RANDOM_H
