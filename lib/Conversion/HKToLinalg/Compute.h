// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar code, and the loops around it, as the conversions write them.

#ifndef HK_LIB_CONVERSION_HKTOLINALG_COMPUTE_H
#define HK_LIB_CONVERSION_HKTOLINALG_COMPUTE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hk {

/// A builder at one place in the code, with the type that it computes in.
struct Compute {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::FloatType type;

  mlir::Value constant(double value) const;
  mlir::Value index(int64_t value) const;
  /// `value`, a float no wider than `type`, in `type`.
  mlir::Value widen(mlir::Value value) const;
  /// `value`, which is in `type`, rounded to `result`.
  mlir::Value narrow(mlir::Value value, mlir::Type result) const;
  /// Element `indices` of `tensor`, in `type`.
  mlir::Value load(mlir::Value tensor, mlir::ValueRange indices) const;

  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, mlir::Value b) const;

  /// sum_{i < count} term(i)
  mlir::Value
  sum(int64_t count,
      llvm::function_ref<mlir::Value(Compute, mlir::Value)> term) const;
  /// A loop over [0, count) with `inits` carried: `body` gets the index and the
  /// carried values, and gives the next ones. Returns the last ones.
  mlir::SmallVector<mlir::Value>
  loop(mlir::Value count, mlir::ValueRange inits,
       llvm::function_ref<mlir::SmallVector<mlir::Value>(Compute, mlir::Value,
                                                         mlir::ValueRange)>
           body) const;
};

/// f64 if any of the values is, or is a tensor of f64, else f32.
mlir::FloatType getComputeType(mlir::ValueRange values);

/// A tensor that `buildElements` reads at the element that is computed.
struct ElementInput {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// Tensors of `types`, all of one shape, computed element by element: `body`
/// gets the inputs' elements as they are stored, and gives the results'. The
/// dynamic sizes are those of the same dimensions of `like`.
mlir::SmallVector<mlir::Value>
buildElements(mlir::OpBuilder &b, mlir::Location loc,
              llvm::ArrayRef<mlir::RankedTensorType> types, mlir::Value like,
              llvm::ArrayRef<ElementInput> inputs,
              llvm::function_ref<mlir::SmallVector<mlir::Value>(
                  mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                  body);

/// An uninitialised tensor; the dynamic sizes are those of `like`.
mlir::Value buildEmpty(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::RankedTensorType type, mlir::Value like);

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOLINALG_COMPUTE_H
