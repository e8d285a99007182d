// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's time.
#ifndef HK_RUNTIME_STOPWATCH_H
#define HK_RUNTIME_STOPWATCH_H

#include <chrono>

namespace hk {

/// Milliseconds since it was made.
class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Adds the time that it lives.
class Spent {
public:
  explicit Spent(double &milliseconds) : milliseconds_(milliseconds) {}
  Spent(const Spent &) = delete;
  ~Spent() { milliseconds_ += watch_.milliseconds(); }

private:
  double &milliseconds_;
  Stopwatch watch_;
};

} // namespace hk

#endif // HK_RUNTIME_STOPWATCH_H
