// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hk-bench tells: a table for people, JSON and CSV for programs.
#ifndef HK_TOOLS_HK_BENCH_REPORT_H
#define HK_TOOLS_HK_BENCH_REPORT_H

#include "dispatches.h"
#include "host_time.h"
#include "peaks.h"
#include "verify.h"

#include <cstdio>
#include <optional>

namespace hk::tools {

struct PlanReport {
  std::string name, isa, role;
  uint32_t rank = 0, dispatches = 0;
  uint64_t packedBytes = 0, workspaceBytes = 0;
  Cost cost;
  double predicted = 0; ///< seconds, by the compiler's cost model; 0: unknown
  Verdict verdict;
  std::vector<DispatchTime> times;    ///< of its dispatches, if asked for
  std::vector<VariantTime> variants;  ///< of its kernels, if asked for
  std::vector<std::string> refusals;  ///< by the compiler, with them
  std::optional<HostTime> runnerHost; ///< see ContenderReport::host
  bool runnerReplays = false;         ///< whether a runner launches a graph
};

struct ContenderReport {
  size_t plan = 0; ///< index of a PlanReport
  bool graph = false;
  /// The runtime's own choice: this plan, with variants that it measured.
  bool chosen = false;
  Timing timing;
  /// The host's time of a call of the runtime, on a GPU.
  std::optional<HostTime> host;
};

/// The plan of the least predicted time, each kernel by its first variant,
/// beside the fastest that was measured, launched in one way.
struct FirstChoice {
  bool graph = false;
  size_t first = 0, best = 0; ///< indices of ContenderReports

  /// What is more than this above 1 is a wrong choice.
  static constexpr double kTolerance = 0.15;
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

/// For each way of launching; none where no candidate or safe plan is
/// predicted.
std::vector<FirstChoice> firstChoices(const BenchReport &report);
/// The median of the first choice over that of the best.
double ratioOf(const BenchReport &report, const FirstChoice &choice);

/// Variants of a kernel: [first, end) of plan.variants, of which `best` is the
/// fastest.
struct KernelVariants {
  size_t first = 0, end = 0, best = 0;
  /// Whether the first is slower than the best by more than the tolerance.
  bool isWrong(const PlanReport &plan) const;
};
std::vector<KernelVariants> kernelsOf(const PlanReport &plan);

/// The reports of two sessions, as hk_session_report tells them, in one; either
/// may be empty.
std::string mergeChoices(const std::string &first, const std::string &second);
/// Lines on what the runtime chose, from its own report.
std::string describeChoice(const std::string &json);

/// "1.52", or "-" where there is no floor to set it against.
std::string gapTo(const std::optional<double> &floor, double seconds);
/// "31 %", or "-".
std::string shareText(const std::optional<double> &share);
/// What the cost model predicted, or "-".
std::string predictedText(double seconds);
/// Per second, in units of 1e9.
double giga(uint64_t amount, double seconds);
/// Tables of a plan's dispatches and of its kernels' variants.
void printDispatches(const BenchReport &report, const PlanReport &plan,
                     std::FILE *stream);
void printVariants(const PlanReport &plan, std::FILE *stream);

/// Tables; the last line is the conclusion.
void printReport(const BenchReport &report, std::FILE *stream);
std::string reportToJson(const BenchReport &report);
/// A header, then a line for each contender; times in microseconds.
std::string reportToCsv(const BenchReport &report);

} // namespace hk::tools

#endif // HK_TOOLS_HK_BENCH_REPORT_H
