// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plans.h"

#include "common/error.h"

#include <algorithm>

using namespace hk::tools;

const char *hk::tools::roleName(hk_role role) {
  switch (role) {
  case HK_ROLE_CANDIDATE:
    return "candidate";
  case HK_ROLE_SAFE:
    return "safe";
  case HK_ROLE_REFERENCE:
    return "reference";
  case HK_ROLE_ORACLE:
    return "oracle";
  }
  return "unknown";
}

static bool isNamed(const std::string &plan, const std::string &name) {
  std::string suffix = "." + name;
  return plan == name || (plan.size() > suffix.size() &&
                          plan.compare(plan.size() - suffix.size(),
                                       suffix.size(), suffix) == 0);
}

static std::vector<hk_plan_info> plansOf(const hk_module *module,
                                         const Function &function) {
  std::vector<hk_plan_info> plans(function.info.num_plans);
  hk_status status = {};
  for (uint32_t i = 0; i < function.info.num_plans; ++i)
    check(hk_module_plan(module, function.index, i, &plans[i], &status),
          status);
  return plans;
}

static void requireNames(const std::vector<hk_plan_info> &plans,
                         const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    if (std::any_of(plans.begin(), plans.end(), [&](const hk_plan_info &plan) {
          return isNamed(plan.name, name);
        }))
      continue;
    std::string known;
    for (const hk_plan_info &plan : plans)
      known += (known.empty() ? "" : ", ") + std::string(plan.name);
    userError("expects a plan among " + known + ", but got '" + name + "'");
  }
}

static bool isWanted(const hk_plan_info &plan,
                     const std::vector<std::string> &names, PlanChoice choice) {
  if (!names.empty())
    return std::any_of(names.begin(), names.end(), [&](const auto &name) {
      return isNamed(plan.name, name);
    });
  if (plan.role == HK_ROLE_REFERENCE)
    return choice == PlanChoice::All;
  return plan.role != HK_ROLE_ORACLE;
}

PlanSet hk::tools::openPlans(hk_context *context, hk_module *module,
                             const hk_params *params, const Function &function,
                             const std::vector<std::string> &names,
                             PlanChoice choice, bool withReference) {
  std::vector<hk_plan_info> infos = plansOf(module, function);
  requireNames(infos, names);
  PlanSet set;
  auto open = [&](const hk_plan_info &info, ReadyPlan &ready) {
    try {
      ready.session = std::make_unique<Session>(context, module, params,
                                                function.info.name, info.name);
    } catch (const ToolError &error) {
      if (error.code != ExitUnsupported)
        throw;
      set.skipped.push_back({info.name, error.what()});
      return false;
    }
    hk_session_info opened = ready.session->info();
    ready.name = info.name;
    ready.isa = opened.isa;
    ready.role = info.role;
    ready.rank = info.rank;
    ready.dispatches = opened.num_dispatches;
    ready.packedBytes = opened.packed_bytes;
    return true;
  };
  for (const hk_plan_info &info : infos)
    if (ReadyPlan ready; isWanted(info, names, choice) && open(info, ready))
      set.plans.push_back(std::move(ready));
  if (set.plans.empty())
    throw ToolError(ExitUnsupported,
                    "expects a plan that this device can run, but got none" +
                        (set.skipped.empty() ? std::string()
                                             : ": " + set.skipped[0].reason));
  for (ReadyPlan &plan : set.plans)
    if (plan.role == HK_ROLE_REFERENCE && !set.reference)
      set.reference = &plan;
  for (const hk_plan_info &info : infos) {
    if (!withReference || set.reference)
      break;
    auto extra = std::make_unique<ReadyPlan>();
    if (info.role == HK_ROLE_REFERENCE && open(info, *extra)) {
      set.extra = std::move(extra);
      set.reference = set.extra.get();
    }
  }
  return set;
}
