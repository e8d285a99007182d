// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured to choose a plan, and why it was chosen.
#ifndef HK_RUNTIME_TUNING_REPORT_H
#define HK_RUNTIME_TUNING_REPORT_H

#include "loaded_plan.h"

#include <string>
#include <vector>

namespace hk {

/// Slower: so much that it was not compared with the reference.
enum class Verdict { Passed, Inaccurate, Slower, Failed };

/// A plan, with the variants that were tried.
struct Contender {
  const schema::Plan *plan = nullptr;
  VariantChoice variants;
  Verdict verdict = Verdict::Failed;
  std::string reason;       // why it did not pass
  double milliseconds = -1; // the median, or -1: not measured
  double maxError = 0;      // against the reference
};

/// Where the time of a choice went, in milliseconds.
struct TuningTime {
  double total = 0;
  double load = 0;      // code, packed parameters, graphs
  double reference = 0; // its run, and the copy of its results
  double compare = 0;   // with these, and the runs that were compared
  double measure = 0;
};

struct Tuning {
  int64_t batch = 0;
  hk_launch_mode mode = HK_LAUNCH_DIRECT;
  std::vector<Contender> contenders;
  std::shared_ptr<const LoadedPlan> chosen;
  std::string reason; // "the fastest of 2 that pass, of 3"
  /// Whether it is for all runs of the batch: it is not where the inputs told
  /// nothing.
  bool decided = true;
  TuningTime time;
};

/// "1000.0 us"
std::string microseconds(double milliseconds);

/// "'fused' (kernel 'qkv': #hk.cublaslt<..>)": the variants are named of
/// executables that have several useful ones.
std::string nameOf(const Device &device, const schema::Module &module,
                   const schema::Plan &plan, const VariantChoice &variants);

/// As JSON, indented.
std::string tuningsToJson(const Device &device, const schema::Module &module,
                          const schema::Function &function,
                          const std::vector<Tuning> &tunings);

} // namespace hk

#endif // HK_RUNTIME_TUNING_REPORT_H
