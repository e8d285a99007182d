// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builder of scalar code for a GPU. It keeps the NVVM dialect's header, which
// is large, out of most files.

#ifndef HK_LIB_CONVERSION_TILETONVVM_DEVICE_H
#define HK_LIB_CONVERSION_TILETONVVM_DEVICE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace hk {

/// Scalar code for a GPU, at the insertion point of a builder.
class Device {
public:
  Device(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Type i32Type() { return b.getI32Type(); }
  mlir::Type globalPointer();

  // Numbers. Integers are of i32 where nothing else is said.
  mlir::Value i32(int64_t value);
  mlir::Value f32(double value);
  mlir::Value fromIndex(mlir::Value index);
  mlir::Value toIndex(mlir::Value value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value shiftRight(mlir::Value x, int64_t bits);
  mlir::Value bitAnd(mlir::Value x, int64_t mask);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value bitOr(mlir::Value x, mlir::Value y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y);
  mlir::Value lessThan(mlir::Value x, mlir::Value y); // signed
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  /// The address `base` + `index` * `scale` bytes; `index` is an i32 that is
  /// not negative.
  mlir::Value address(mlir::Value base, mlir::Value index, int64_t scale);
  mlir::Value address(mlir::Value base, int64_t bytes);

  // The thread.
  mlir::Value threadId();
  mlir::Value ctaId();
  mlir::Value ctaCount();

  // The warp: all of its lanes are there.
  mlir::Value shuffleXor(mlir::Value value, int64_t mask);
  mlir::Value shuffleFrom(mlir::Value value, int64_t lane);
  mlir::Value vote(mlir::Value predicate, bool all);
  /// The maximum of an i32 as an unsigned number.
  mlir::Value warpMax(mlir::Value value);

  // Instructions.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange arguments);
  /// Inline PTX. `results` may be empty, one type, or several, which come back
  /// in order.
  mlir::SmallVector<mlir::Value>
  ptx(llvm::StringRef text, llvm::StringRef constraints,
      mlir::TypeRange results, mlir::ValueRange arguments, bool hasSideEffects);
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_DEVICE_H
