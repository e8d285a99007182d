// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checking results against the module's own fp64 oracle.
#ifndef HK_TOOLS_COMMON_ORACLE_CHECK_H
#define HK_TOOLS_COMMON_ORACLE_CHECK_H

#include "common/gate.h"
#include "common/runtime_wrapper.h"

#include <cstdint>
#include <vector>

namespace hk::tools {

struct CheckOptions {
  bool all = false;
  int64_t samples = 4; ///< sequences, where not all
  uint64_t seed = 1234;
  Gate gate;
};

/// The sequences to check, ascending: all of them, or the first, the last, the
/// one with the fewest valid tokens, and others drawn from the seed. Nothing
/// crosses sequences, so a sample of a batch is a batch.
std::vector<int64_t> sampleSequences(const CheckOptions &options, int64_t batch,
                                     const std::vector<int64_t> &validTokens);

struct CheckReport : GateReport {
  int64_t sequences = 0, batch = 0;
  double seconds = 0;
};

/// Runs the oracle of `function` on sequences of `inputs` and compares
/// `outputs`. Throws a user error where the function has no oracle.
CheckReport checkAgainstOracle(hk_context *context, hk_module *module,
                               const hk_params *params,
                               const Function &function,
                               const std::vector<Tensor> &inputs,
                               const std::vector<Tensor> &outputs,
                               int64_t batch, const CheckOptions &options);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_ORACLE_CHECK_H
