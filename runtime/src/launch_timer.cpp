// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_timer.h"

#include <algorithm>

namespace hk {
namespace {

constexpr unsigned kWarmUp = 3;
constexpr unsigned kRounds = 3;
/// What a round of one launcher may take, and how many calls it is at most.
constexpr double kRoundMilliseconds = 10;
constexpr unsigned kMaxCalls = 50;
/// A run so long is not timed again.
constexpr double kLongMilliseconds = 200;

} // namespace

Status LaunchTimer::run(const Launcher &launcher, unsigned count,
                        std::vector<double> &times) {
  while (events_.size() < 2 * count) {
    events_.emplace_back();
    HK_TRY(device_.createEvent(events_.back()));
  }
  for (unsigned i = 0; i < count; ++i) {
    HK_TRY(events_[2 * i]->record(stream_));
    HK_TRY(launcher());
    HK_TRY(events_[2 * i + 1]->record(stream_));
  }
  HK_TRY(device_.synchronize(stream_));
  for (unsigned i = 0; i < count; ++i) {
    float milliseconds = 0;
    HK_TRY(events_[2 * i + 1]->elapsed(*events_[2 * i], milliseconds));
    times.push_back(milliseconds);
  }
  return Status();
}

Status LaunchTimer::measure(const std::vector<Launcher> &launchers,
                            std::vector<double> &medians) {
  const size_t n = launchers.size();
  std::vector<std::vector<double>> times(n);
  std::vector<unsigned> calls(n); // 0: a long one
  for (size_t i = 0; i < n; ++i) {
    HK_TRY(run(launchers[i], 1, times[i]));
    if (times[i][0] >= kLongMilliseconds)
      continue;
    times[i].clear();
    HK_TRY(run(launchers[i], kWarmUp, times[i]));
    const double one =
        std::max(*std::min_element(times[i].begin(), times[i].end()), 1e-3);
    calls[i] = static_cast<unsigned>(
        std::clamp(kRoundMilliseconds / one, 1.0, double(kMaxCalls)));
    times[i].clear();
  }
  for (unsigned round = 0; round < kRounds; ++round)
    for (size_t turn = 0; turn < n; ++turn) {
      const size_t i = round % 2 ? n - 1 - turn : turn;
      if (calls[i] > 0 || round == 0)
        HK_TRY(run(launchers[i], std::max(calls[i], 1u), times[i]));
    }
  medians.clear();
  for (std::vector<double> &all : times) {
    // Of a long run the better of two: the first may hold what comes once.
    if (all.size() <= 2) {
      medians.push_back(*std::min_element(all.begin(), all.end()));
      continue;
    }
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    medians.push_back(all[all.size() / 2]);
  }
  return Status();
}

} // namespace hk
