// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk on tensors to plain loop nests on tensors.

#ifndef HK_CONVERSION_HKTOLINALG_HKTOLINALG_H
#define HK_CONVERSION_HKTOLINALG_HKTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace hk {

/// The patterns of the operations that compute each row from itself.
void populateRowOpsToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// The pattern of `hk.attention`.
void populateAttentionToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// Converts the operations under `root`. Fails, with an error, if any operation
/// of hk is left.
mlir::LogicalResult convertHKToLinalg(mlir::Operation *root);

} // namespace hk

#endif // HK_CONVERSION_HKTOLINALG_HKTOLINALG_H
