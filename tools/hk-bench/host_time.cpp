// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_time.h"

#include "contract.h"
#include "quiet_core.h"

#include <algorithm>
#include <vector>

using namespace hk::tools;

namespace {

using Times = std::vector<double>;

class HostTimer {
public:
  HostTimer(Session &session, double median, const std::function<void()> &call);
  HostTime measure();

private:
  /// The times of calls after waits, or of those behind the first in a row; on
  /// quiet cores, of those with a quiet core before and behind them.
  Times timeIdle();
  Times timeRows();
  /// Whether what happens now counts.
  bool isQuiet() const { return !core_ || QuietCore::isQuiet(coreWork()); }
  double timeCall() {
    Stopwatch stopwatch;
    call_();
    return stopwatch.seconds();
  }

  Session &session_;
  const std::function<void()> &call_;
  Contract contract_;
  /// None: wherever the operating system lets the thread run.
  std::optional<QuietCore> core_;
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

Times HostTimer::timeIdle() {
  // A core that the thread has just come to has none of its data.
  constexpr int64_t kBlock = 20, kToWarm = 3;
  Times times;
  for (int64_t i = 0; i < contract_.warmup + contract_.calls; ++i) {
    if (core_ && i % kBlock == 0)
      core_->find();
    const bool isWarm = !core_ || i % kBlock >= kToWarm;
    const bool counts = i >= contract_.warmup && isWarm && isQuiet();
    session_.synchronize();
    const double seconds = timeCall();
    if (counts && isQuiet())
      times.push_back(seconds);
  }
  return times;
}

Times HostTimer::timeRows() {
  constexpr int64_t kRow = 4; // far from filling the driver's queue
  constexpr int64_t kBlock = 5;
  Times times;
  const int64_t rows = (contract_.calls + kRow - 2) / (kRow - 1);
  for (int64_t i = 0; i < rows; ++i) {
    if (core_ && i % kBlock == 0)
      core_->find();
    const bool counts = isQuiet();
    session_.synchronize();
    call_();
    Times row;
    for (int64_t k = 1; k < kRow; ++k)
      row.push_back(timeCall());
    if (counts && isQuiet())
      times.insert(times.end(), row.begin(), row.end());
  }
  session_.synchronize();
  return times;
}

static HostMedian summariseBoth(Times anywhere, Times alone) {
  constexpr size_t kFewest = 10;
  HostMedian median;
  median.anywhere = summarise(0, std::move(anywhere)).median;
  if (alone.size() >= kFewest)
    median.alone = summarise(0, std::move(alone)).median;
  return median;
}

HostTime HostTimer::measure() {
  Times idle = timeIdle(), row = timeRows();
  core_.emplace();
  Times idleAlone = timeIdle(), rowAlone = timeRows();
  return {summariseBoth(std::move(idle), std::move(idleAlone)),
          summariseBoth(std::move(row), std::move(rowAlone))};
}

HostTime hk::tools::measureHostTime(Session &session, double median,
                                    const std::function<void()> &call) {
  return HostTimer(session, median, call).measure();
}
