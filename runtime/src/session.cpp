// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <algorithm>

namespace hk {

Status Session::create(std::shared_ptr<Context> context,
                       std::shared_ptr<Module> module, const Params *params,
                       const hk_session_options &options,
                       std::shared_ptr<Session> &session) {
  std::shared_ptr<Session> created(
      new Session(std::move(context), std::move(module)));
  HK_TRY(created->open(params, options));
  session = std::move(created);
  return Status();
}

Status Session::open(const Params *params, const hk_session_options &options) {
  if (options.function)
    HK_TRY(findFunction(*module_, options.function, functionIndex_));
  const schema::Module &module = module_->metadata();
  function_ = module.functions()->Get(functionIndex_);
  for (const schema::Value *value : *function_->inputs())
    inputs_.emplace_back(device(), *value->type());
  for (const schema::Value *value : *function_->outputs())
    outputs_.emplace_back(device(), *value->type());
  memoryLimit_ = options.memory_limit ? options.memory_limit : physicalMemory();

  const schema::Plan *plan = nullptr;
  HK_TRY(choosePlan(device(), *module_, *function_, options.plan, plan));
  DeviceScope scope(device());
  HK_TRY(scope.status());
  HK_TRY(LoadedPlan::load(*context_, *module_, *plan,
                          firstVariants(device(), *module_, *plan), store_,
                          params, memoryLimit_, default_));

  const bool tunes = options.tuning == HK_TUNING_DEFAULT
                         ? context_->tunes()
                         : options.tuning == HK_TUNING_ON;
  if (options.plan || !tunes || device().inHostMemory())
    return Status();
  auto tuner = std::make_unique<Tuner>(TunerSetup{*context_, *module_,
                                                  *function_, store_, &params_,
                                                  memoryLimit_, default_});
  if (!tuner->hasChoice())
    return Status();
  if (params) {
    // Plans are packed when they are tried.
    std::vector<std::string_view> keys;
    for (const schema::Parameter *parameter : *module.parameters())
      keys.push_back(view(parameter->key()));
    HK_TRY(params_.keep(*params, keys));
  }
  tuner_ = std::move(tuner);
  return Status();
}

hk_session_info Session::info() const {
  const Choice *latest = latest_.load(std::memory_order_acquire);
  const LoadedPlan &plan = latest ? *latest->plan : *default_;
  hk_session_info info = {};
  info.function = function_->name()->c_str();
  info.function_index = functionIndex_;
  info.plan = plan.plan().name()->c_str();
  info.plan_rank = plan.plan().rank();
  info.plan_role = static_cast<hk_role>(plan.plan().role());
  info.isa = plan.isa();
  info.num_workers = context_->workers().count();
  info.num_dispatches = plan.numLaunches();
  info.packed_bytes = plan.packedBytes();
  return info;
}

} // namespace hk
