// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_time.h"

#include "common/device.h"
#include "contract.h"
#include "quiet_core.h"

#include <algorithm>
#include <vector>

using namespace hk::tools;

namespace {

using Times = std::vector<double>;

class HostTimer {
public:
  HostTimer(hk_context *context, Session &session, double median,
            const std::function<void()> &call);
  HostTime measure();

private:
  /// The times of calls after waits, of those behind the first in a row, or of
  /// those of whole rounds of the contract; on quiet cores, of those with a
  /// quiet core before and behind them.
  Times timeIdle();
  Times timeRows();
  Times timeRounds();
  /// Whether what happens now counts.
  bool isQuiet() const { return !core_ || QuietCore::isQuiet(coreWork()); }
  double timeCall() {
    Stopwatch stopwatch;
    call_();
    return stopwatch.seconds();
  }

  Session &session_;
  const std::function<void()> &call_;
  Contract contract_, rounds_;
  EventPairs events_;
  /// None: wherever the operating system lets the thread run.
  std::optional<QuietCore> core_;
};

} // namespace

static constexpr double kLimit = 0.2; // seconds of runs

HostTimer::HostTimer(hk_context *context, Session &session, double median,
                     const std::function<void()> &call)
    : session_(session), call_(call),
      rounds_(shortened(Contract(), median, kLimit)),
      events_(context, rounds_.calls) {
  constexpr int64_t kCalls = 300;
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

Times HostTimer::timeRounds() {
  Times times;
  for (int64_t round = 0; round < rounds_.rounds; ++round) {
    if (core_)
      core_->find();
    for (int64_t i = 0; i < rounds_.calls; ++i) {
      const bool counts = isQuiet();
      events_.begin(i, session_.stream());
      const double seconds = timeCall();
      events_.end(i, session_.stream());
      if (counts && isQuiet())
        times.push_back(seconds);
    }
    session_.synchronize();
  }
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
  Times idle = timeIdle(), row = timeRows(), rounds = timeRounds();
  core_.emplace();
  Times idleAlone = timeIdle(), rowAlone = timeRows(),
        roundsAlone = timeRounds();
  return {summariseBoth(std::move(idle), std::move(idleAlone)),
          summariseBoth(std::move(row), std::move(rowAlone)),
          summariseBoth(std::move(rounds), std::move(roundsAlone))};
}

HostTime hk::tools::measureHostTime(hk_context *context, Session &session,
                                    double median,
                                    const std::function<void()> &call) {
  return HostTimer(context, session, median, call).measure();
}
