// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dispatch of a plan takes what.
#ifndef HK_TOOLS_HK_BENCH_DISPATCHES_H
#define HK_TOOLS_HK_BENCH_DISPATCHES_H

#include "contract.h"
#include "module_file.h"

namespace hk::tools {

struct DispatchTime {
  DispatchCost cost;
  double seconds = 0;
};

/// Times each dispatch of a plan back to back: the plan with 20 more of it in
/// its place, less the plan itself, over 20; so that it reads what it reads in
/// the plan, and its start is hidden behind the one before, as it is there. On
/// a GPU the plans are launched as graphs. Below the noise it may be negative.
std::vector<DispatchTime> timeDispatches(
    hk_context *context, const ModuleFile &file, const hk_params *params,
    const Function &function, const std::string &plan, const std::string &isa,
    const std::vector<Tensor> &inputs, int64_t batch, const Contract &contract);

/// A variant of a kernel, timed in the same way.
struct VariantTime {
  VariantPlan variant;
  double seconds = -1; ///< -1: it does not run here
  std::string reason;  ///< why not
};

/// Times each useful variant of each kernel of a plan, in the place of the
/// kernel's first dispatch; kernels one after another, and of a kernel the
/// module's first choice first.
std::vector<VariantTime> timeVariants(
    hk_context *context, const ModuleFile &file, const hk_params *params,
    const Function &function, const std::string &plan, const std::string &isa,
    const std::vector<Tensor> &inputs, int64_t batch, const Contract &contract);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_DISPATCHES_H
