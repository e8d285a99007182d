// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way times are taken: warm-up, then rounds in which the contenders take
// turns, calls back to back in a stream, an event pair around each.
#ifndef HK_TOOLS_HK_BENCH_CONTRACT_H
#define HK_TOOLS_HK_BENCH_CONTRACT_H

#include "common/runtime_wrapper.h"
#include "common/timing.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace hk::tools {

struct Contract {
  int64_t warmup = 20; ///< calls of each contender, before the first round
  int64_t rounds = 3;
  int64_t calls = 100; ///< of each contender in a round
};

/// Something that is timed: starts a call, which need not wait.
struct Contender {
  Session *session = nullptr;
  bool graph = false; ///< replays the session's captured graph
};

/// The times of all calls of each contender. The order of the contenders turns
/// around in every other round. On the CPU a call is timed by the host's clock.
std::vector<Timing> measureByContract(hk_context *context,
                                      const Contract &contract,
                                      const std::vector<Contender> &contenders);

/// The contract with fewer calls, so that those of a run that takes `seconds`
/// take no more than about `limit` a round.
Contract shortened(const Contract &contract, double seconds, double limit);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_CONTRACT_H
