// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hk-run tells: for people, and as JSON.
#ifndef HK_TOOLS_HK_RUN_REPORT_H
#define HK_TOOLS_HK_RUN_REPORT_H

#include "common/oracle_check.h"
#include "common/runtime_wrapper.h"
#include "common/timing.h"

#include <cstdio>
#include <optional>
#include <string>

namespace hk::tools {

struct RunReport {
  std::string module, function, plan, isa;
  std::string device; ///< The GPU's name; empty on the CPU.
  uint32_t planRank = 0, threads = 0, dispatches = 0;
  int64_t batch = 0;
  uint64_t packedBytes = 0, workspaceBytes = 0;
  double loadSeconds = 0, prepareSeconds = 0;
  Timing timing;
  std::optional<CheckReport> check;
};

/// A few lines, the last of which is the conclusion.
void printReport(const RunReport &report, std::FILE *stream);
std::string reportToJson(const RunReport &report);

/// The functions, their inputs, outputs and plans.
void printModule(const hk_module *module, const std::string &path);

} // namespace hk::tools

#endif // HK_TOOLS_HK_RUN_REPORT_H
