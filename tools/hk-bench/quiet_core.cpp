// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "quiet_core.h"

#include "common/timing.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

using namespace hk::tools;

double hk::tools::coreWork() {
  // Chains that do not wait for each other, as many operations as a core can
  // begin in a clock; the shifts differ, so that they are not made one vector.
  constexpr int kSteps = 600;
  static volatile uint64_t seed = 0x9e3779b97f4a7c15;
  uint64_t a = seed, b = a ^ 1, c = a ^ 2, d = a ^ 3, e = a ^ 4, f = a ^ 5;
  Stopwatch stopwatch;
  for (int i = 0; i < kSteps; ++i) {
    a = (a ^ (a >> 7)) + 1;
    b = (b ^ (b >> 9)) + 3;
    c = (c ^ (c << 13)) + 5;
    d = (d ^ (d << 17)) + 7;
    e = (e ^ (e >> 19)) + 9;
    f = (f ^ (f << 21)) + 11;
  }
  const double seconds = stopwatch.seconds();
  seed = (a + b + c + d + e + f) | 1;
  return seconds;
}

/// Of what single measurements say, since the clock itself errs by more.
static double medianWork() {
  constexpr int kTimes = 15;
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i)
    times.push_back(coreWork());
  return summarise(0, std::move(times)).median;
}

/// Of medians.
static double leastWork = std::numeric_limits<double>::infinity();

QuietCore::QuietCore() {
  if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0)
    CPU_ZERO(&allowed_);
  // All of them once, to see what a quiet one is.
  for (int i = CPU_COUNT(&allowed_); i > 0 && moveOn(); --i)
    leastWork = std::min(leastWork, medianWork());
}

QuietCore::~QuietCore() {
  if (CPU_COUNT(&allowed_) > 0)
    (void)sched_setaffinity(0, sizeof allowed_, &allowed_);
}

/// To the next core that it may run on.
bool QuietCore::moveOn() {
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    core_ = (core_ + 1) % CPU_SETSIZE;
    if (!CPU_ISSET(core_, &allowed_))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core_, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

bool QuietCore::find() {
  for (int i = 2 * CPU_COUNT(&allowed_); i >= 0; --i) {
    const double work = medianWork();
    leastWork = std::min(leastWork, work);
    if (isQuiet(work))
      return true;
    if (i > 0 && !moveOn())
      return false;
  }
  return false;
}

bool QuietCore::isQuiet(double work) {
  constexpr double kMost = 1.1;
  return work <= kMost * leastWork;
}
