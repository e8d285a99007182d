// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call costs the host: the runtime and the driver, not the GPU.
#ifndef HK_TOOLS_HK_BENCH_HOST_TIME_H
#define HK_TOOLS_HK_BENCH_HOST_TIME_H

#include "common/runtime_wrapper.h"

#include <functional>
#include <optional>

namespace hk::tools {

/// Medians in seconds, from call to return.
struct HostMedian {
  /// Wherever the operating system lets the thread run.
  double anywhere = 0;
  /// On cores that work for this thread alone; none where too few calls met
  /// one.
  std::optional<double> alone;
};

struct HostTime {
  HostMedian idle; ///< nothing is in the stream: the caller has waited
  HostMedian row;  ///< it follows another at once, with few in the stream
  /// As calls are timed (contract.h): in rounds, events around each, no waits.
  HostMedian round;
};

/// `median` is what a run takes, in seconds.
HostTime measureHostTime(hk_context *context, Session &session, double median,
                         const std::function<void()> &call);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_HOST_TIME_H
