// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that a chain of operations needs on a GPU if a warp keeps the
// rows it owns.

#ifndef HK_ANALYSIS_ROWRESIDENCY_H
#define HK_ANALYSIS_ROWRESIDENCY_H

#include "mlir/IR/Operation.h"

namespace hk {

/// Registers of a thread that resident values may take. The other 55 hold the
/// block of features that is being computed, fragments of weights, addresses.
inline constexpr int64_t kResidentRegisters = 200;

struct RowResidency {
  /// The most 32-bit registers of a thread that resident values take.
  int64_t registers = 0;
  /// The operation where that is, or null if nothing is resident.
  mlir::Operation *where = nullptr;
};

/// What `ops` need, in order, as one kernel in which a warp owns 16 rows with
/// all their features: 16 x D values of f32 over 32 threads are D / 2
/// registers, and a copy for the matrix units D / 4 (with `operandBits` of 32,
/// D / 2).
///
/// - Resident are the input of a norm, the result of attention, and the result
///   of a linear operation that is reduced over, read by several operations,
///   or summed up block by block.
/// - Not resident is what is computed a block of features at a time and used
///   up by one linear operation (the hidden features of a feed-forward
///   network), or stored (the result of the last linear operation). The linear
///   operation that uses it up keeps its sums.
/// - Element-wise operations work in place; the sum of a linear operation and a
///   residual grows in the registers of the residual. (Where registers hold both,
///   code generation may add the residual behind the sum.)
/// - Values from outside are loaded where they are read; a linear operation
///   whose result is not resident keeps its input as a copy for the matrix
///   units.
/// - What only linear operations read is kept as the copy for them alone.
/// - Attention needs a head of the query and of the result and the scores of
///   32 keys beside its result.
RowResidency estimateRowResidency(mlir::ArrayRef<mlir::Operation *> ops,
                                  int64_t operandBits = 16);

} // namespace hk

#endif // HK_ANALYSIS_ROWRESIDENCY_H
