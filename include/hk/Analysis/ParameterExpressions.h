// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on parameters alone: what can be computed when a
// checkpoint is loaded.

#ifndef HK_ANALYSIS_PARAMETEREXPRESSIONS_H
#define HK_ANALYSIS_PARAMETEREXPRESSIONS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace hk {

/// True if `op` is a parameter, a packed value, or of the vocabulary that the
/// runtime interprets (`hk.pack.*`).
bool isParameterOp(mlir::Operation *op);

/// True if `value` is computed by such operations alone. The number of the
/// layer, an index, may be anything.
bool isParameterExpression(mlir::Value value);

/// Makes a parameter expression dominate `position`, where its operations are
/// in the same block and after it. They are pure, and so may move.
void moveParameterExpressionBefore(mlir::Value value,
                                   mlir::Operation *position);

} // namespace hk

#endif // HK_ANALYSIS_PARAMETEREXPRESSIONS_H
