// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.h"

#include <cstdio>
#include <unistd.h>

using namespace hk::tools;

Progress::Progress(std::string label, int64_t total)
    : label(std::move(label)), total(total), terminal(::isatty(2)),
      last(Clock::now()) {}

Progress::~Progress() {
  if (shown && terminal)
    std::fprintf(stderr, "\r\x1b[K");
}

void Progress::update(int64_t done) {
  Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(terminal ? 500 : 5000))
    return;
  last = now;
  shown = true;
  std::fprintf(stderr,
               terminal ? "\r\x1b[K%s: %lld of %lld" : "%s: %lld of %lld\n",
               label.c_str(), static_cast<long long>(done),
               static_cast<long long>(total));
}
