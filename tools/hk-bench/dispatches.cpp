// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatches.h"

using namespace hk::tools;

static constexpr int kCopies = 20;

std::vector<DispatchTime>
hk::tools::timeDispatches(hk_context *context, const ModuleFile &file,
                          const hk_params *params, const Function &function,
                          const std::string &plan, const std::string &isa,
                          const std::vector<Tensor> &inputs, int64_t batch,
                          const Contract &contract) {
  Module module = file.withRepeatedDispatches(function, plan, kCopies);
  hk_device_info device = {};
  hk_context_get_device(context, &device);
  const bool graph = device.kind == HK_DEVICE_CUDA;

  // One after another, so that the memory is that of two plans.
  Contract once = contract;
  once.rounds = 1;
  auto open = [&](const std::string &name) {
    auto session = std::make_unique<Session>(context, module.get(), params,
                                             function.info.name, name);
    session->bind(function, inputs, batch);
    if (graph)
      session->capture();
    return session;
  };
  std::unique_ptr<Session> whole = open(plan);
  std::vector<DispatchTime> result;
  for (DispatchCost &cost : file.costs(function, plan, isa, batch)) {
    std::unique_ptr<Session> repeated = open(repeatedPlan(plan, result.size()));
    std::vector<Timing> timings = measureByContract(
        context, once, {{whole.get(), graph}, {repeated.get(), graph}});
    result.push_back(
        {std::move(cost), (timings[1].median - timings[0].median) / kCopies});
  }
  return result;
}
