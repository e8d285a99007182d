// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules of attention with the projection of its keys and values.

#ifndef HK_LIB_ANALYSIS_PROJECTIONCANDIDATES_H
#define HK_LIB_ANALYSIS_PROJECTIONCANDIDATES_H

#include "hk/Analysis/CUDASchedule.h"

#include <vector>

namespace hk {

/// Those that are plausible, each like `rules` in what does not matter.
/// `hasWarpgroups`: with wgmma, too.
std::vector<CUDASchedule> listProjections(const CUDAKernelShape &shape,
                                          const CUDASchedule &rules,
                                          bool hasWarpgroups);

} // namespace hk

#endif // HK_LIB_ANALYSIS_PROJECTIONCANDIDATES_H
