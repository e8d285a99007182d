// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_timer.h"

#include <algorithm>

namespace hk {
namespace {

constexpr unsigned kProbes = 3;
constexpr unsigned kRounds = 3;
/// What a round of one launcher may take, and how many calls it is at most.
constexpr double kRoundMilliseconds = 10;
constexpr unsigned kMaxCalls = 50;
/// A run so long is hardly disturbed, and not often repeated.
constexpr double kSteadyMilliseconds = 1;
/// Of runs so long two rounds are enough.
constexpr double kFewRoundsMilliseconds = 5;
/// A run so long is not timed again.
constexpr double kLongMilliseconds = 200;

unsigned callsOfRound(double milliseconds) {
  return static_cast<unsigned>(
      std::clamp(kRoundMilliseconds / std::max(milliseconds, 1e-3), 1.0,
                 double(kMaxCalls)));
}

double leastOf(const std::vector<double> &times) {
  return *std::min_element(times.begin(), times.end());
}

/// Of up to two the less: one of them may hold what comes once.
double medianOf(std::vector<double> times) {
  if (times.size() <= 2)
    return leastOf(times);
  const auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

} // namespace

bool LaunchTimer::isSlower(double least, double median) {
  // On short runs the host's part differs from call to call.
  const double margin = median >= kSteadyMilliseconds ? 2 * kTimingNoise : 0.25;
  return least > (1 + margin) * median;
}

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

Status LaunchTimer::probe(TimedLauncher &launcher) {
  std::vector<double> times;
  HK_TRY(run(launcher.launch, 1, times));
  if (times[0] < kLongMilliseconds) {
    const unsigned count = times[0] >= kSteadyMilliseconds ? 2 : kProbes;
    times.clear();
    HK_TRY(run(launcher.launch, count, times));
  }
  launcher.least = leastOf(times);
  launcher.median = medianOf(times);
  return Status();
}

Status LaunchTimer::race(const std::vector<TimedLauncher *> &launchers) {
  const size_t n = launchers.size();
  std::vector<std::vector<double>> times(n);
  for (TimedLauncher *launcher : launchers)
    if (launcher->least < 0)
      HK_TRY(probe(*launcher));
  unsigned rounds = kRounds;
  for (const TimedLauncher *launcher : launchers)
    if (launcher->least >= kFewRoundsMilliseconds)
      rounds = 2;
  for (unsigned round = 0; round < rounds; ++round) {
    for (size_t turn = 0; turn < n; ++turn) {
      const size_t i = round % 2 ? n - 1 - turn : turn;
      const double one = launchers[i]->least;
      if (one < kLongMilliseconds || round == 0)
        HK_TRY(run(launchers[i]->launch, callsOfRound(one), times[i]));
    }
    if (n == 2 && (isSlower(leastOf(times[0]), medianOf(times[1])) ||
                   isSlower(leastOf(times[1]), medianOf(times[0]))))
      break;
  }
  for (size_t i = 0; i < n; ++i) {
    // Of long runs there is one call.
    if (times[i].size() < 2)
      times[i].push_back(launchers[i]->least);
    launchers[i]->least = std::min(launchers[i]->least, leastOf(times[i]));
    launchers[i]->median = medianOf(times[i]);
  }
  return Status();
}

} // namespace hk
