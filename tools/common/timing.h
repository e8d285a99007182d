// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of repeated runs.
#ifndef HK_TOOLS_COMMON_TIMING_H
#define HK_TOOLS_COMMON_TIMING_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hk::tools {

/// Seconds. The percentiles interpolate between neighbours.
struct Timing {
  int64_t warmup = 0, repeats = 0;
  double min = 0, median = 0, p10 = 0, p90 = 0;
  /// (p90 - p10) / median: below 0.05 on a quiet machine.
  double spread() const { return median > 0 ? (p90 - p10) / median : 0; }
};

/// Of the times of single runs; there is at least one.
Timing summarise(int64_t warmup, std::vector<double> times);

/// Calls `run` warmup + repeats times, and times each of the last `repeats`.
Timing measure(int64_t warmup, int64_t repeats,
               const std::function<void()> &run);

/// The same for a run that knows its own time: `run` returns seconds.
Timing measureTimed(int64_t warmup, int64_t repeats,
                    const std::function<double()> &run);

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// "1.234 s", "12.34 ms" or "45.6 us".
std::string formatSeconds(double seconds);
/// "1.5 MiB".
std::string formatBytes(uint64_t bytes);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_TIMING_H
