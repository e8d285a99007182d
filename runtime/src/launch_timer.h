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

class LaunchTimer {
public:
  /// Launchers launch on `stream`.
  LaunchTimer(Device &device, void *stream)
      : device_(device), stream_(stream) {}

  /// The median time of each, in milliseconds: of rounds that take turns, after
  /// some warm-up. The device is entered.
  Status measure(const std::vector<Launcher> &launchers,
                 std::vector<double> &medians);

private:
  Status run(const Launcher &launcher, unsigned count,
             std::vector<double> &times);

  Device &device_;
  void *stream_;
  std::vector<std::unique_ptr<Event>> events_;
};

} // namespace hk

#endif // HK_RUNTIME_LAUNCH_TIMER_H
