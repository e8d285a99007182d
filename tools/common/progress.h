// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A progress line for long work.
#ifndef HK_TOOLS_COMMON_PROGRESS_H
#define HK_TOOLS_COMMON_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace hk::tools {

/// On a terminal, one line that is rewritten, and gone at the end;
/// otherwise a plain line every five seconds. Short work prints nothing.
class Progress {
public:
  /// `interval` is for tests: the time between updates that show.
  Progress(std::string label, int64_t total, std::FILE *stream = stderr,
           std::optional<std::chrono::milliseconds> interval = {});
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void update(int64_t done);

private:
  using Clock = std::chrono::steady_clock;
  std::string label;
  int64_t total;
  std::FILE *stream;
  bool terminal, shown = false;
  std::chrono::milliseconds interval;
  Clock::time_point last;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_PROGRESS_H
