// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a CTA that computes keys and values goes through its heads: the same
// numbers for the cost model and for code generation.

#ifndef HK_ANALYSIS_PROJECTEDHEADS_H
#define HK_ANALYSIS_PROJECTEDHEADS_H

#include <algorithm>
#include <cstdint>

namespace hk {

/// What a CTA with `ofCTA` query heads of `headDim` features computes at once,
/// where `group` of them share a head of keys and values.
struct ProjectedHeads {
  /// Query heads that are computed at once: as many as a block of features has
  /// room for, if they divide the heads of the CTA.
  int64_t heads = 1;
  /// Query heads that share the keys and values which are published at once: as
  /// many, or a multiple.
  int64_t sharing = 1;
  /// The heads of keys and values that are published at once.
  int64_t keyHeads = 1;

  /// True if a CTA can have that many of `all` heads: they are shared out
  /// evenly, and are whole groups or part of one.
  static bool areLegal(int64_t ofCTA, int64_t all, int64_t group) {
    return all % ofCTA == 0 && (ofCTA % group == 0 || group % ofCTA == 0);
  }

  static ProjectedHeads get(int64_t ofCTA, int64_t group, int64_t headDim,
                            int64_t block) {
    ProjectedHeads result;
    int64_t most = std::min(ofCTA, block / headDim);
    for (int64_t count = 2; count <= most; ++count)
      if (ofCTA % count == 0 && (count % group == 0 || group % count == 0))
        result.heads = count;
    result.setSharing(ofCTA, group);
    return result;
  }

  void setSharing(int64_t ofCTA, int64_t group) {
    sharing = std::max(heads, std::min(group, ofCTA));
    keyHeads = std::max<int64_t>(sharing / group, 1);
  }
};

} // namespace hk

#endif // HK_ANALYSIS_PROJECTEDHEADS_H
