// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds arithmetic on f32 vectors. Multiply-adds carry the `contract` flag, so
// that they become FMAs where the machine has them and nothing else where it
// has not (a call of fmaf, with math.fma).

#ifndef HK_LIB_CONVERSION_HKTOVECTOR_VECTORBUILDER_H
#define HK_LIB_CONVERSION_HKTOVECTOR_VECTORBUILDER_H

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace hk {

class VectorBuilder {
public:
  /// `lanes` is the number of f32 lanes of a register of the target; `isa` is
  /// the name of its instruction set.
  VectorBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
                llvm::StringRef isa);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const int64_t lanes;

  mlir::FloatType f32() { return b.getF32Type(); }
  mlir::VectorType vectorType(int64_t width);

  //===--- Scalars
  //---------------------------------------------------------===//
  mlir::Value index(int64_t value);
  mlir::Value addIndex(mlir::Value lhs, mlir::Value rhs);
  mlir::Value addIndex(mlir::Value lhs, int64_t rhs);
  mlir::Value mulIndex(mlir::Value lhs, int64_t rhs);
  mlir::Value minIndex(mlir::Value lhs, mlir::Value rhs);

  //===--- Vectors
  //---------------------------------------------------------===//
  /// The constant in every lane of something of `type` (f32 or a vector of it).
  mlir::Value constant(double value, mlir::Type type);
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  /// a * b + c
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// The larger one; `rhs` where one is NaN.
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// Whether bytes of a mask are set: whatever is not zero is true.
  mlir::Value isSet(mlir::Value bytes);
  /// A vector of all lanes, with zeros behind those of `vector`.
  mlir::Value pad(mlir::Value vector);
  /// The sum of the lanes.
  mlir::Value sum(mlir::Value vector);

  //===--- Functions
  //-------------------------------------------------------===//
  /// 2^x, relative error below 2e-7 (6e-6 from x = 127.5 on); 0 below x = -126,
  /// inf from x = 128 on; NaN stays.
  mlir::Value exp2(mlir::Value x);
  /// The activation of `x`; the errors are in docs/cpu.md.
  mlir::Value activation(ActivationKind kind, mlir::Value x);

  //===--- Element types
  //---------------------------------------------------===//
  /// f32 from a vector of f16, bf16 or f32.
  mlir::Value widen(mlir::Value x);
  /// A vector of `element` (f16, bf16 or f32) from f32, ties to even.
  mlir::Value narrow(mlir::Value x, mlir::Type element);

private:
  mlir::Value integers(mlir::Value like, int64_t value, unsigned bits);
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
  mlir::Value geluErf(mlir::Value x);
  mlir::Value geluTanh(mlir::Value x);
  mlir::Value silu(mlir::Value x);
  mlir::Value narrowToBF16(mlir::Value x);
  mlir::Value widenHalf(mlir::Value x);
  mlir::Value narrowToHalf(mlir::Value x);

  /// The target converts between f16 and f32 itself.
  const bool hasF16C;
};

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOVECTOR_VECTORBUILDER_H
