// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a machine can do at most.
#ifndef HK_TOOLS_HK_BENCH_PEAKS_H
#define HK_TOOLS_HK_BENCH_PEAKS_H

#include "module_file.h"

#include <optional>

namespace hk::tools {

/// 0: not known.
struct Peaks {
  double bytesPerSecond = 0, flopsPerSecond = 0;

  /// The least seconds that `cost` takes, or nothing where neither is known.
  std::optional<double> floor(const Cost &cost) const;
  /// What `cost` in `seconds` is of them; nothing where that is not known.
  std::optional<double> shareOfBytes(const Cost &cost, double seconds) const;
  std::optional<double> shareOfFlops(const Cost &cost, double seconds) const;
};

/// Those of a GPU by the name that its driver gives ("NVIDIA H200"), from the
/// compiler's device descriptions: the memory's bandwidth, and the fastest
/// matrix products with 16-bit operands. Nothing for other devices.
Peaks knownPeaks(const std::string &device);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_PEAKS_H
