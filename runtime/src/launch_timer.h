// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times ways to launch a run against each other, as a caller would see them: an
// event on either side of each call, with nothing waited for in between. So the
// host's part counts where it is the longer one.
#ifndef HK_RUNTIME_LAUNCH_TIMER_H
#define HK_RUNTIME_LAUNCH_TIMER_H

#include "device.h"

#include <functional>
#include <vector>

namespace hk {

using Launcher = std::function<Status()>;

/// What is less than this apart is a tie.
constexpr double kTimingNoise = 0.03;

/// A way to launch a run, and how long it takes. In milliseconds; -1: not
/// known.
struct TimedLauncher {
  Launcher launch;
  double least = -1;  // of a few calls
  double median = -1; // of these, or of a race
};

class LaunchTimer {
public:
  /// Launchers launch on `stream`. The device is entered while this is used.
  LaunchTimer(Device &device, void *stream)
      : device_(device), stream_(stream) {}

  /// Times a few calls, after one that warms up.
  Status probe(TimedLauncher &launcher);
  /// Times all in rounds in which they take turns. Those that were not probed
  /// are. Two that are far apart are soon done.
  Status race(const std::vector<TimedLauncher *> &launchers);

  /// Whether what took `least` in a few calls cannot win a race against what
  /// has that median.
  static bool isSlower(double least, double median);

private:
  Status run(const Launcher &launcher, unsigned count,
             std::vector<double> &times);

  Device &device_;
  void *stream_;
  std::vector<std::unique_ptr<Event>> events_;
};

} // namespace hk

#endif // HK_RUNTIME_LAUNCH_TIMER_H
