// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules of a kernel on a GPU that are worth measuring, in the order of
// their predicted times.

#ifndef HK_ANALYSIS_CUDACANDIDATES_H
#define HK_ANALYSIS_CUDACANDIDATES_H

#include "hk/Analysis/KernelDescription.h"

#include <optional>
#include <string>
#include <vector>

namespace hk {

/// A schedule and what the cost model says of it.
struct CUDACandidate {
  CUDASchedule schedule;
  KernelCost cost;
};

/// Schedules that were refused for the same kind of reason.
struct RefusedSchedules {
  /// "registers", "shared memory" or "shape".
  llvm::StringRef kind;
  /// The reason of the first.
  std::string reason;
  CUDASchedule first;
  int64_t count = 0;
};

struct CUDACandidates {
  /// Best first, one at least. If no schedule is known to fit, it is that of
  /// the rules (CUDASchedule.h), and its cost does not fit.
  std::vector<CUDACandidate> best;
  /// The best of those that were not taken.
  std::optional<CUDACandidate> next;
  std::vector<RefusedSchedules> refused;
  /// How many fit.
  int64_t legal = 0;
};

/// Tries all schedules that are plausible for a kernel of its family; that of
/// the rules is one of them. Takes the `most` (at least 1) best whose predicted
/// time is at most `kWorthMeasuring` times that of the best and which differ in
/// more than the ring: of those that share rows, units, columns, heads, block
/// and keys (rows, units and heads, where the kernel computes keys), only the
/// best counts.
CUDACandidates rankCUDASchedules(const KernelDescription &kernel,
                                 const Device &device, int64_t most);

/// The model is wrong by a third at times.
inline constexpr double kWorthMeasuring = 1.35;

/// The predicted time in us of the best schedule, or nothing if none fits.
std::optional<double> predictBest(const KernelDescription &kernel,
                                  const Device &device);

/// "rows 64, units 4, columns 128, depth 64, stages 3", what the family has.
std::string describe(const CUDASchedule &schedule, CUDAFamily family);

} // namespace hk

#endif // HK_ANALYSIS_CUDACANDIDATES_H
