// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_time.h"

#include "contract.h"
#include "quiet_core.h"

#include <algorithm>
#include <vector>

using namespace hk::tools;

namespace {

class HostTimer {
public:
  HostTimer(Session &session, double median, const std::function<void()> &call);
  HostTime measure();

private:
  /// The times of calls after waits, or of those behind the first in a row. If
  /// `alone`, of those with a quiet core before and behind them.
  using Times = std::vector<double>;
  Times timeIdle(bool alone);
  Times timeRows(bool alone);
  static HostMedian summariseBoth(Times anywhere, Times alone);
  double timeCall() {
    Stopwatch stopwatch;
    call_();
    return stopwatch.seconds();
  }

  Session &session_;
  const std::function<void()> &call_;
  Contract contract_;
};

} // namespace

HostTimer::HostTimer(Session &session, double median,
                     const std::function<void()> &call)
    : session_(session), call_(call) {
  constexpr int64_t kCalls = 300;
  constexpr double kLimit = 0.2;
  contract_.calls = kCalls;
  contract_ = shortened(contract_, median, kLimit);
}

HostTimer::Times HostTimer::timeIdle(bool alone) {
  std::optional<QuietCore> core;
  if (alone)
    core.emplace();
  // A core that the thread has just come to has none of its data.
  constexpr int64_t kBlock = 20, kToWarm = 3;
  Times times;
  for (int64_t i = 0; i < contract_.warmup + contract_.calls; ++i) {
    bool counts = i >= contract_.warmup;
    if (alone && i % kBlock == 0)
      core->find();
    counts &= !alone ||
              (i % kBlock >= kToWarm && QuietCore::isQuiet(coreWork()));
    session_.synchronize();
    const double seconds = timeCall();
    if (counts && (!alone || QuietCore::isQuiet(coreWork())))
      times.push_back(seconds);
  }
  return times;
}

HostTimer::Times HostTimer::timeRows(bool alone) {
  std::optional<QuietCore> core;
  if (alone)
    core.emplace();
  constexpr int64_t kRow = 16; // far from filling the driver's queue
  constexpr int64_t kBlock = 2;
  Times times;
  const int64_t rows = (contract_.calls + kRow - 2) / (kRow - 1);
  for (int64_t i = 0; i < rows; ++i) {
    if (alone && i % kBlock == 0)
      core->find();
    const bool before = !alone || QuietCore::isQuiet(coreWork());
    session_.synchronize();
    call_();
    Times row;
    for (int64_t k = 1; k < kRow; ++k)
      row.push_back(timeCall());
    if (before && (!alone || QuietCore::isQuiet(coreWork())))
      times.insert(times.end(), row.begin(), row.end());
  }
  session_.synchronize();
  return times;
}

HostMedian HostTimer::summariseBoth(Times anywhere, Times alone) {
  constexpr size_t kFewest = 10;
  HostMedian median;
  median.anywhere = summarise(0, std::move(anywhere)).median;
  if (alone.size() >= kFewest)
    median.alone = summarise(0, std::move(alone)).median;
  return median;
}

HostTime HostTimer::measure() {
  HostTime time;
  Times idle = timeIdle(false);
  time.idle = summariseBoth(std::move(idle), timeIdle(true));
  Times row = timeRows(false);
  time.row = summariseBoth(std::move(row), timeRows(true));
  return time;
}

HostTime hk::tools::measureHostTime(Session &session, double median,
                                    const std::function<void()> &call) {
  return HostTimer(session, median, call).measure();
}
