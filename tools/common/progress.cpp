// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/progress.h"

#include <unistd.h>

using namespace hk::tools;

Progress::Progress(std::string label, int64_t total, std::FILE *stream,
                   std::optional<std::chrono::milliseconds> interval)
    : label(std::move(label)), total(total), stream(stream),
      terminal(::isatty(::fileno(stream))),
      interval(
          interval.value_or(std::chrono::milliseconds(terminal ? 500 : 5000))),
      last(Clock::now()) {}

Progress::~Progress() {
  if (shown && terminal)
    std::fputs("\r\x1b[K", stream);
}

void Progress::update(int64_t done) {
  Clock::time_point now = Clock::now();
  if (now - last < interval)
    return;
  last = now;
  shown = true;
  std::fprintf(stream, "%s%s: %lld of %lld%s", terminal ? "\r\x1b[K" : "",
               label.c_str(), static_cast<long long>(done),
               static_cast<long long>(total), terminal ? "" : "\n");
  std::fflush(stream);
}
