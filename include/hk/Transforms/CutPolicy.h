// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a chain of operations is cut into kernels.

#ifndef HK_TRANSFORMS_CUTPOLICY_H
#define HK_TRANSFORMS_CUTPOLICY_H

#include "mlir/IR/Operation.h"

#include <memory>
#include <string>

namespace hk {

/// A cut: the operation at `position` of the chain begins a new kernel.
struct Cut {
  size_t position;
  /// Why, as a clause: "attention reads rows of other workgroups".
  std::string reason;
};

/// Decides where a chain is cut. The chain is the operations of one block, or
/// of one of the parts that loops divide it into, in order; views (hk.split)
/// and packed values are not in it.
class CutPolicy {
public:
  virtual ~CutPolicy();

  /// The cuts of `chain`, in order, without one at position 0. Keys and values
  /// of an attention must come from before the kernel that it is in, and all
  /// rows of a kernel must be of one sequence length.
  virtual mlir::SmallVector<Cut>
  cut(mlir::ArrayRef<mlir::Operation *> chain) const = 0;
};

/// Cuts where it must: before attention that reads keys or values of the same
/// kernel, where the sequence length changes, and where a block of `rows` rows
/// needs more than `scratchLimit` bytes of intermediate values. In the last
/// case, of all places that keep the kernel within the limit, the one where
/// the fewest bytes cross is taken.
std::unique_ptr<CutPolicy> createGreedyCutPolicy(int64_t rows,
                                                 int64_t scratchLimit);

} // namespace hk

#endif // HK_TRANSFORMS_CUTPOLICY_H
