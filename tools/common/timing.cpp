// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/timing.h"

#include "common/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace hk::tools;

/// The values are sorted, and there is at least one.
static double percentile(const std::vector<double> &values, double fraction) {
  double position = fraction * static_cast<double>(values.size() - 1);
  size_t below = static_cast<size_t>(position);
  size_t above = std::min(below + 1, values.size() - 1);
  double weight = position - static_cast<double>(below);
  return values[below] + weight * (values[above] - values[below]);
}

Timing hk::tools::measure(int64_t warmup, int64_t repeats,
                          const std::function<void()> &run) {
  return measureTimed(warmup, repeats, [&] {
    Stopwatch stopwatch;
    run();
    return stopwatch.seconds();
  });
}

Timing hk::tools::measureTimed(int64_t warmup, int64_t repeats,
                               const std::function<double()> &run) {
  Progress progress("running", warmup + repeats);
  std::vector<double> times;
  times.reserve(static_cast<size_t>(repeats));
  for (int64_t i = 0; i < warmup + repeats; ++i) {
    double seconds = run();
    if (i >= warmup)
      times.push_back(seconds);
    progress.update(i + 1);
  }
  return summarise(warmup, std::move(times));
}

Timing hk::tools::summarise(int64_t warmup, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  Timing timing;
  timing.warmup = warmup;
  timing.repeats = static_cast<int64_t>(times.size());
  timing.min = times.front();
  timing.median = percentile(times, 0.5);
  timing.p10 = percentile(times, 0.1);
  timing.p90 = percentile(times, 0.9);
  return timing;
}

std::string hk::tools::formatSeconds(double seconds) {
  char text[32];
  if (seconds >= 1)
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  else if (seconds >= 1e-3)
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  return text;
}

std::string hk::tools::formatBytes(uint64_t bytes) {
  char text[32];
  double value = static_cast<double>(bytes);
  if (bytes >= 1 << 20)
    std::snprintf(text, sizeof text, "%.1f MiB", value / (1 << 20));
  else if (bytes >= 1 << 10)
    std::snprintf(text, sizeof text, "%.1f KiB", value / (1 << 10));
  else
    std::snprintf(text, sizeof text, "%.0f B", value);
  return text;
}
