// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing a network in other floating-point types.

#ifndef HK_TRANSFORMS_RETYPE_H
#define HK_TRANSFORMS_RETYPE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hk {

/// How the floating-point values of a function are retyped.
struct FloatRetyping {
  /// The element type that takes the place of a given one. It must hold every
  /// value of the given one.
  llvm::function_ref<mlir::FloatType(mlir::FloatType)> elementType;
  /// The results of the function keep their types: they are rounded once, by
  /// an `hk.cast` before the return. Otherwise they are retyped too.
  bool keepResults = true;
  /// An `hk.cast` of the network to a type that is retyped still rounds to it.
  /// Otherwise it does nothing.
  bool keepRounding = true;
};

/// Retypes the body of `function`: its inputs keep their types and are cast at
/// the entry, parameters keep their stored types, and masks are left alone.
/// Fails, with an error, on an operation on floating-point tensors that is not
/// one of a network (`hk.param`, or one with a scope).
mlir::LogicalResult retypeFloats(mlir::func::FuncOp function,
                                 const FloatRetyping &retyping);

} // namespace hk

#endif // HK_TRANSFORMS_RETYPE_H
