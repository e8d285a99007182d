// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Independent work on all cores.
#ifndef HK_TOOLS_COMMON_PARALLEL_H
#define HK_TOOLS_COMMON_PARALLEL_H

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace hk::tools {

/// Calls body(begin, end) on ranges that cover [0, count), on as many threads
/// as pay off. The body must not throw.
template <typename Body> void parallelRanges(int64_t count, const Body &body) {
  constexpr int64_t kWorthAThread = int64_t{1} << 18;
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  int64_t ranges = std::clamp<int64_t>(count / kWorthAThread, 1, cores);
  std::vector<std::thread> threads;
  for (int64_t range = 1; range < ranges; ++range)
    threads.emplace_back(body, count * range / ranges,
                         count * (range + 1) / ranges);
  body(int64_t{0}, count / ranges);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_PARALLEL_H
