// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contract.h"

#include "common/progress.h"

#include <algorithm>
#include <numeric>

using namespace hk::tools;

static void warmUp(const Contender &contender, int64_t calls) {
  contender.session->replay(contender.graph);
  for (int64_t i = 0; i < calls; ++i)
    contender.session->enqueue();
  contender.session->synchronize();
}

static void runRound(const Contender &contender, EventPairs *events,
                     int64_t calls, std::vector<double> &times) {
  Session &session = *contender.session;
  session.replay(contender.graph);
  if (!events) {
    for (int64_t i = 0; i < calls; ++i)
      times.push_back(session.run());
    return;
  }
  for (int64_t i = 0; i < calls; ++i) {
    events->begin(i, session.stream());
    session.enqueue();
    events->end(i, session.stream());
  }
  session.synchronize();
  for (int64_t i = 0; i < calls; ++i)
    times.push_back(events->seconds(i));
}

std::vector<Timing>
hk::tools::measureByContract(hk_context *context, const Contract &contract,
                             const std::vector<Contender> &contenders) {
  hk_device_info device = {};
  hk_context_get_device(context, &device);
  std::unique_ptr<EventPairs> events;
  if (device.kind == HK_DEVICE_CUDA)
    events = std::make_unique<EventPairs>(context, contract.calls);

  Progress progress("timing, rounds",
                    contract.rounds * static_cast<int64_t>(contenders.size()));
  for (const Contender &contender : contenders)
    warmUp(contender, contract.warmup);
  std::vector<std::vector<double>> times(contenders.size());
  std::vector<size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t done = 0;
  for (int64_t round = 0; round < contract.rounds; ++round) {
    for (size_t i : order) {
      runRound(contenders[i], events.get(), contract.calls, times[i]);
      progress.update(++done);
    }
    std::reverse(order.begin(), order.end());
  }
  std::vector<Timing> timings;
  for (std::vector<double> &all : times)
    timings.push_back(summarise(contract.warmup, std::move(all)));
  return timings;
}

Contract hk::tools::shortened(const Contract &contract, double seconds,
                              double limit) {
  constexpr int64_t kFewest = 5;
  Contract result = contract;
  const double fit = limit / std::max(seconds, 1e-7);
  if (fit < static_cast<double>(contract.calls))
    result.calls =
        std::min(contract.calls, std::max(kFewest, static_cast<int64_t>(fit)));
  result.warmup = std::min(result.warmup, result.calls);
  return result;
}
