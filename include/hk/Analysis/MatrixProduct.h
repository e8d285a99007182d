// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are a matrix product and nothing else: what a library computes
// as well.

#ifndef HK_ANALYSIS_MATRIXPRODUCT_H
#define HK_ANALYSIS_MATRIXPRODUCT_H

#include "hk/Dialect/HK/HKDialect.h"

#include <optional>

namespace hk {

/// y = x w^T + bias + residual, as the body of a kernel or of a variant states
/// it. Values may be converted on the way.
struct MatrixProduct {
  LinearOp linear;
  mlir::BlockArgument input;
  mlir::BlockArgument residual; // or null
  PackedGetOp weight;
  PackedGetOp bias; // or null
  mlir::RankedTensorType result;

  /// Element types as they lie in memory; the residual has that of the result.
  mlir::Type getInputElement() const;
  mlir::Type getResultElement() const { return result.getElementType(); }
  int64_t getColumns() const; // features of the result
  int64_t getDepth() const;   // features of the input
};

/// The product that `body` is, or nothing: another operation in it, several
/// results, parameters that are not packed.
std::optional<MatrixProduct> matchMatrixProduct(mlir::Block &body);

} // namespace hk

#endif // HK_ANALYSIS_MATRIXPRODUCT_H
