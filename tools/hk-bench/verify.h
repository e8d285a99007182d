// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the plans are right: against the reference plan, against the fp64
// oracle, and against themselves.
#ifndef HK_TOOLS_HK_BENCH_VERIFY_H
#define HK_TOOLS_HK_BENCH_VERIFY_H

#include "common/oracle_check.h"
#include "plans.h"

#include <optional>

namespace hk::tools {

/// What was found for one plan, over all seeds.
struct Verdict {
  std::optional<GateReport> reference; ///< against the reference plan
  std::optional<GateReport> oracle;    ///< against float64
  std::optional<int64_t> unequalRuns;  ///< of the repeated runs

  bool passed() const;
  /// "passed", "not checked", or what failed.
  std::string text() const;
};

struct VerifyOptions {
  uint64_t firstSeed = 1234;
  int64_t seeds = 5;
  CheckOptions check;
};

/// Runs every plan on fresh inputs of each seed and compares whole outputs with
/// those of the reference plan, where there is one, and a sample of sequences
/// with the function's oracle, where there is one; one of them there must be.
/// `cpu` is a context for the oracle. Adds to `verdicts`, one for each plan.
void verifyPlans(hk_context *cpu, hk_module *module, const hk_params *params,
                 const Function &function, PlanSet &set,
                 const InputOptions &inputs, const VerifyOptions &options,
                 std::vector<Verdict> &verdicts);

/// Runs the bound session `runs` times, each time on outputs that are filled
/// with NaN before, and returns how many differ from the first in a bit.
int64_t countUnequalRuns(Session &session, int64_t runs);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_VERIFY_H
