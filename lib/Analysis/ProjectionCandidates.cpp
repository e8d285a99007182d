// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProjectionCandidates.h"

#include "KernelCosts.h"

#include "hk/Analysis/ProjectedHeads.h"
#include "hk/Analysis/ProjectedRows.h"

#include "llvm/Support/MathExtras.h"

#include <set>

using namespace hk;

/// Of a CTA.
static constexpr int64_t kMostUnits = 16;

/// Rows of a CTA, all of a sequence, of several short ones or some of a long
/// one, with those of a warp. The rows of a sequence are rounded up to what
/// blocks of keys divide.
static std::set<std::pair<int64_t, int64_t>>
listRows(const CUDAKernelShape &shape) {
  std::set<std::pair<int64_t, int64_t>> result;
  int64_t sequence = shape.sequence;
  for (int64_t multiple : {16, 32, 64, 128})
    for (int64_t unitRows : {16, 32}) {
      int64_t rows = llvm::alignTo(sequence, std::max(multiple, unitRows));
      if (rows >= 2 * std::max(sequence, kTileRows))
        continue;
      for (int64_t count : {1, 2, 4, 8, 16}) {
        int64_t units = count * rows / unitRows;
        // More than there are would be units for nothing.
        bool fits = units <= kMostUnits &&
                    (count == 1 || count <= shape.batch.value_or(count));
        if (fits &&
            ProjectedRows::get(count * rows, units, sequence).sequences ==
                count)
          result.insert({count * rows, unitRows});
      }
    }
  for (int64_t rows : {16, 32, 64, 128, 256})
    for (int64_t unitRows : {16, 32})
      if (rows < sequence && rows % unitRows == 0 &&
          rows / unitRows <= kMostUnits)
        result.insert({rows, unitRows});
  return result;
}

/// One, two and four heads, all, and those that share keys.
static std::set<int64_t> listHeads(const CUDAKernelShape &shape) {
  std::set<int64_t> result;
  for (int64_t heads : {int64_t(1), int64_t(2), int64_t(4), int64_t(8),
                        shape.group, shape.heads})
    if (heads <= shape.heads &&
        ProjectedHeads::areLegal(heads, shape.heads, shape.group))
      result.insert(heads);
  return result;
}

std::vector<CUDASchedule> hk::listProjections(const CUDAKernelShape &shape,
                                              const CUDASchedule &rules,
                                              bool hasWarpgroups) {
  int64_t wide = std::max<int64_t>(shape.operandBytes / 2, 1);
  std::vector<CUDASchedule> result;
  auto addStages = [&](CUDASchedule s) {
    for (int64_t stages : {2, 3, 4}) {
      s.stages = stages;
      result.push_back(s);
    }
  };
  auto add = [&](CUDASchedule s) {
    addStages(s);
    // K of wgmma is a multiple of 16.
    s.usesWarpgroups =
        hasWarpgroups && s.units % kWarpgroup == 0 && shape.headDim % 16 == 0;
    for (s.ctas = 1; s.usesWarpgroups && s.ctas <= 3; ++s.ctas)
      addStages(s);
  };
  for (auto [rows, unitRows] : listRows(shape))
    for (int64_t heads : listHeads(shape)) {
      std::set<int64_t> together;
      for (int64_t block : {32 / wide, 64 / wide, 128 / wide}) {
        // Blocks with room for as many heads are the same kernel.
        int64_t atOnce =
            ProjectedHeads::get(heads, shape.group, shape.headDim, block).heads;
        if (!together.insert(atOnce).second)
          continue;
        CUDASchedule s = rules;
        s.rows = rows;
        s.units = rows / unitRows;
        s.heads = heads;
        s.block = block;
        for (int64_t keys : {16, 32, 64, 128}) {
          s.keys = keys;
          if (ProjectedRows::get(rows, s.units, shape.sequence).rows % keys ==
              0)
            add(s);
        }
      }
    }
  return result;
}
