// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatches.h"

#include "common/error.h"

#include <algorithm>

using namespace hk::tools;

static constexpr int kCopies = 20;
/// Seconds that the calls of one contender may take.
static constexpr double kLimit = 0.25;

namespace {

/// Plans of a changed module beside the plan itself. Sessions are opened one
/// after another, so that the memory is that of two plans.
class BesidePlan {
public:
  BesidePlan(hk_context *context, hk_module *module, const hk_params *params,
             const Function &function, const std::vector<Tensor> &inputs,
             int64_t batch, const Contract &contract, const std::string &plan)
      : context(context), module(module), params(params), function(function),
        inputs(inputs), batch(batch) {
    hk_device_info device = {};
    hk_context_get_device(context, &device);
    graph = device.kind == HK_DEVICE_CUDA;
    whole = open(plan);
    once = contract;
    once.rounds = 1;
    Contract first = once;
    // The first call holds what comes once.
    first.calls = std::min<int64_t>(first.calls, 3);
    first.warmup = std::min<int64_t>(first.warmup, 2);
    const double seconds =
        measureByContract(context, first, {{whole.get(), graph}})[0].median;
    once = shortened(once, seconds, kLimit);
  }

  /// The seconds of one of the dispatches that this plan has more.
  double measure(const std::string &name) {
    std::unique_ptr<Session> repeated = open(name);
    std::vector<Timing> timings = measureByContract(
        context, once, {{whole.get(), graph}, {repeated.get(), graph}});
    return (timings[1].median - timings[0].median) / kCopies;
  }

private:
  std::unique_ptr<Session> open(const std::string &name) {
    auto session = std::make_unique<Session>(context, module, params,
                                             function.info.name, name);
    session->bind(function, inputs, batch);
    if (graph)
      session->capture();
    return session;
  }

  hk_context *context;
  hk_module *module;
  const hk_params *params;
  const Function &function;
  const std::vector<Tensor> &inputs;
  int64_t batch;
  bool graph = false;
  Contract once;
  std::unique_ptr<Session> whole;
};

} // namespace

std::vector<DispatchTime>
hk::tools::timeDispatches(hk_context *context, const ModuleFile &file,
                          const hk_params *params, const Function &function,
                          const std::string &plan, const std::string &isa,
                          const std::vector<Tensor> &inputs, int64_t batch,
                          const Contract &contract) {
  Module module = file.withRepeatedDispatches(function, plan, kCopies);
  BesidePlan beside(context, module.get(), params, function, inputs, batch,
                    contract, plan);
  std::vector<DispatchTime> result;
  for (DispatchCost &cost : file.costs(function, plan, isa, batch)) {
    const double seconds = beside.measure(repeatedPlan(plan, result.size()));
    result.push_back({std::move(cost), seconds});
  }
  return result;
}

std::vector<VariantTime>
hk::tools::timeVariants(hk_context *context, const ModuleFile &file,
                        const hk_params *params, const Function &function,
                        const std::string &plan, const std::string &isa,
                        const std::vector<Tensor> &inputs, int64_t batch,
                        const Contract &contract) {
  std::vector<VariantPlan> variants;
  Module module =
      file.withVariants(function, plan, isa, batch, kCopies, variants);
  BesidePlan beside(context, module.get(), params, function, inputs, batch,
                    contract, plan);
  std::vector<VariantTime> result;
  for (VariantPlan &variant : variants) {
    VariantTime time;
    try {
      time.seconds = beside.measure(variant.plan);
    } catch (const ToolError &error) {
      if (error.code != ExitUnsupported)
        throw;
      time.reason = error.what();
    }
    time.variant = std::move(variant);
    result.push_back(std::move(time));
  }
  return result;
}
