// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cores whose units no other hardware thread uses.
//
// Two hardware threads of a core share its units, and a call that takes
// microseconds takes half as long again while the other works: for this
// process, another, or another virtual machine, of which a guest has no
// counter. So the time of a piece of work that fills these units tells.
#ifndef HK_TOOLS_HK_BENCH_QUIET_CORE_H
#define HK_TOOLS_HK_BENCH_QUIET_CORE_H

#include <sched.h>

namespace hk::tools {

/// The time in seconds of a fixed piece of integer work that fills a core's
/// units and touches no memory, about a microsecond.
double coreWork();

/// Moves the calling thread between the cores that it may run on, and puts it
/// back at the end. Where it may not be moved, it stays.
class QuietCore {
public:
  QuietCore();
  ~QuietCore();
  QuietCore(const QuietCore &) = delete;
  QuietCore &operator=(const QuietCore &) = delete;

  /// Stays if the core is quiet, or goes to the next one that is. False if
  /// there was none in two rounds.
  bool find();
  /// Whether `work`, of coreWork, is that of a quiet core: at most a tenth
  /// above the least that this process has seen.
  static bool isQuiet(double work);

private:
  bool moveOn();

  cpu_set_t allowed_;
  int core_ = -1;
};

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_QUIET_CORE_H
