// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How good the cost model's first choices are: of plans, and of variants.
#include "report.h"

using namespace hk::tools;

std::vector<FirstChoice> hk::tools::firstChoices(const BenchReport &report) {
  std::vector<FirstChoice> choices;
  for (bool graph : {false, true}) {
    std::optional<size_t> first, best;
    for (size_t i = 0; i < report.contenders.size(); ++i) {
      const ContenderReport &contender = report.contenders[i];
      const PlanReport &plan = report.plans[contender.plan];
      // Of plans by name, too, those that the runtime may choose.
      const bool runs = plan.role == "candidate" || plan.role == "safe";
      if (contender.graph != graph || !(runs || contender.chosen))
        continue;
      if (plan.verdict.passed() &&
          (!best || contender.timing.median <
                        report.contenders[*best].timing.median))
        best = i;
      if (!contender.chosen && plan.predicted > 0 &&
          (!first ||
           plan.predicted <
               report.plans[report.contenders[*first].plan].predicted))
        first = i;
    }
    if (first && best)
      choices.push_back({graph, *first, *best});
  }
  return choices;
}

double hk::tools::ratioOf(const BenchReport &report,
                          const FirstChoice &choice) {
  const double best = report.contenders[choice.best].timing.median;
  return best > 0 ? report.contenders[choice.first].timing.median / best : 1;
}

std::vector<KernelVariants> hk::tools::kernelsOf(const PlanReport &plan) {
  std::vector<KernelVariants> kernels;
  for (size_t i = 0; i < plan.variants.size(); ++i) {
    const VariantTime &time = plan.variants[i];
    if (kernels.empty() || plan.variants[kernels.back().first].variant.kernel !=
                               time.variant.kernel)
      kernels.push_back({i, i, i});
    KernelVariants &kernel = kernels.back();
    kernel.end = i + 1;
    const double best = plan.variants[kernel.best].seconds;
    if (time.seconds >= 0 && (best < 0 || time.seconds < best))
      kernel.best = i;
  }
  return kernels;
}

bool KernelVariants::isWrong(const PlanReport &plan) const {
  const double least = plan.variants[best].seconds;
  const double chosen = plan.variants[first].seconds;
  return chosen < 0 || chosen > (1 + FirstChoice::kTolerance) * least;
}
