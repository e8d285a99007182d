// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of which sequences a CTA has that computes keys and values: the
// same numbers for the grid, the cost model and code generation.

#ifndef HK_ANALYSIS_PROJECTEDROWS_H
#define HK_ANALYSIS_PROJECTEDROWS_H

#include "hk/Dialect/HK/HKDialect.h"

#include <cstdint>

namespace hk {

/// True unless the keys and values of an attention are in memory where its
/// kernel begins: arguments, or views of them.
bool computesKeys(AttentionOp op);

/// A CTA has the rows of as many sequences as find room, each padded to whole
/// units, so that no unit has rows of two.
struct ProjectedRows {
  /// The sequences of a CTA.
  int64_t sequences = 1;
  /// The rows of the CTA that are for one of them, and their units.
  int64_t rows = 0;
  int64_t units = 0;

  static ProjectedRows get(int64_t ofCTA, int64_t units, int64_t sequence);

  /// True if the CTA's rows and units are shared out evenly.
  bool isEven(int64_t ofCTA, int64_t ofUnits) const {
    return rows * sequences == ofCTA && units * sequences == ofUnits;
  }
  /// True if the four warps of a warpgroup have rows of one sequence, and read
  /// the same keys.
  bool hasWarpgroups() const { return units % 4 == 0; }
};

} // namespace hk

#endif // HK_ANALYSIS_PROJECTEDROWS_H
