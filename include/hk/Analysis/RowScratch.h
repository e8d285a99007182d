// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much fast memory a run of operations needs for each row it computes.

#ifndef HK_ANALYSIS_ROWSCRATCH_H
#define HK_ANALYSIS_ROWSCRATCH_H

#include "mlir/IR/Operation.h"

namespace hk {

/// The rows (tokens) of one sequence of a tensor `[B, .., D]`: the product of
/// the dimensions between the first and the last; 1 for a matrix.
int64_t getRowsPerSequence(mlir::Type type);

/// The bytes of one row of a tensor `[B, .., D]`.
int64_t getBytesPerRow(mlir::Type type);

/// An estimate of the bytes of intermediate values, per row, that are alive at
/// one time when `ops` run in order as one kernel. Values from outside of
/// `ops`, and values used outside of `ops`, lie in memory and are not counted;
/// hk.split is a view. Loops are formed as code generation does: element-wise
/// operations with one use, and the linear operation before them, are computed
/// in one loop and only its result is stored.
int64_t estimateScratchPerRow(mlir::ArrayRef<mlir::Operation *> ops);

} // namespace hk

#endif // HK_ANALYSIS_ROWSCRATCH_H
