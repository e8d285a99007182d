// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans of a function that this machine can run, each ready to run.
#ifndef HK_TOOLS_HK_BENCH_PLANS_H
#define HK_TOOLS_HK_BENCH_PLANS_H

#include "common/runtime_wrapper.h"

#include <memory>
#include <string>
#include <vector>

namespace hk::tools {

struct ReadyPlan {
  std::string name, isa;
  hk_role role = HK_ROLE_CANDIDATE;
  uint32_t rank = 0, dispatches = 0;
  uint64_t packedBytes = 0;
  std::unique_ptr<Session> session;
};

struct SkippedPlan {
  std::string name, reason;
};

struct PlanSet {
  std::vector<ReadyPlan> plans;
  std::vector<SkippedPlan> skipped;
  /// The plan of role `reference` to check against, ready to run. One of
  /// `plans`, or `extra`; null where no plan has that role.
  ReadyPlan *reference = nullptr;
  std::unique_ptr<ReadyPlan> extra;
};

enum class PlanChoice {
  Contenders, ///< candidates and safe plans
  All,        ///< reference plans too
};

/// Opens plans of `function`: those that `names` says, by their whole name or
/// by its last word ("safe" for "forward.sm_90a.safe"), or else by `choice`.
/// Plans that the device cannot run are skipped. With `withReference` the
/// reference plan is opened too. Throws a user error for a name that no plan
/// has, and where no plan is left.
PlanSet openPlans(hk_context *context, hk_module *module,
                  const hk_params *params, const Function &function,
                  const std::vector<std::string> &names, PlanChoice choice,
                  bool withReference);

/// "candidate", "safe", "reference" or "oracle".
const char *roleName(hk_role role);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_PLANS_H
