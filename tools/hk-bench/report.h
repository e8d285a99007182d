// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hk-bench tells: a table for people, JSON and CSV for programs.
#ifndef HK_TOOLS_HK_BENCH_REPORT_H
#define HK_TOOLS_HK_BENCH_REPORT_H

#include "dispatches.h"
#include "verify.h"

#include <cstdio>
#include <optional>

namespace hk::tools {

/// What the machine can do at most; 0: not known.
struct Peaks {
  double bytesPerSecond = 0, flopsPerSecond = 0;

  /// The least seconds that `cost` takes, or nothing where neither is known.
  std::optional<double> floor(const Cost &cost) const;
};

struct PlanReport {
  std::string name, isa, role;
  uint32_t rank = 0, dispatches = 0;
  uint64_t packedBytes = 0, workspaceBytes = 0;
  Cost cost;
  double predicted = 0; ///< seconds, by the compiler's cost model; 0: unknown
  Verdict verdict;
  std::vector<DispatchTime> times; ///< of its dispatches, if asked for
};

struct ContenderReport {
  size_t plan = 0; ///< index of a PlanReport
  bool graph = false;
  Timing timing;
};

struct BenchReport {
  std::string module, function, device;
  int64_t batch = 0;
  uint32_t threads = 0;
  uint64_t seed = 0;
  Contract contract;
  Peaks peaks;
  std::vector<PlanReport> plans;
  std::vector<ContenderReport> contenders;
  std::vector<SkippedPlan> skipped;
  std::string choice; ///< hk_session_report's JSON; empty: not asked for

  bool passed() const;
};

/// Lines on what the runtime chose, from its own report.
std::string describeChoice(const std::string &json);

/// Tables; the last line is the conclusion.
void printReport(const BenchReport &report, std::FILE *stream);
std::string reportToJson(const BenchReport &report);
/// A header, then a line for each contender; times in microseconds.
std::string reportToCsv(const BenchReport &report);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_REPORT_H
