// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hk;

VectorBuilder::VectorBuilder(OpBuilder &builder, Location loc, int64_t lanes,
                             StringRef isa)
    : b(builder), loc(loc), lanes(lanes), hasF16C(isa != "x86-64") {}

VectorType VectorBuilder::vectorType(int64_t width) {
  return VectorType::get({width}, f32());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value VectorBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value VectorBuilder::addIndex(Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value VectorBuilder::addIndex(Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : addIndex(lhs, index(rhs));
}

Value VectorBuilder::mulIndex(Value lhs, int64_t rhs) {
  return b.createOrFold<arith::MulIOp>(loc, lhs, index(rhs));
}

Value VectorBuilder::minIndex(Value lhs, Value rhs) {
  return b.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value VectorBuilder::constant(double value, Type type) {
  auto element =
      b.getFloatAttr(getElementTypeOrSelf(type), static_cast<float>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, loc, element);
}

Value VectorBuilder::splat(Value scalar, int64_t width) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({width}, scalar.getType()), scalar);
}

Value VectorBuilder::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(b, loc, lhs, rhs,
                               arith::FastMathFlags::contract);
}
Value VectorBuilder::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(b, loc, lhs, rhs,
                               arith::FastMathFlags::contract);
}
Value VectorBuilder::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(b, loc, lhs, rhs,
                               arith::FastMathFlags::contract);
}
Value VectorBuilder::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(b, loc, lhs, rhs);
}
Value VectorBuilder::fma(Value x, Value y, Value z) {
  return add(mul(x, y), z);
}

// A comparison and a select are one instruction (maxps); the operations of
// arith that define what becomes of NaN are a dozen.
Value VectorBuilder::max(Value lhs, Value rhs) {
  Value greater =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, lhs, rhs);
  return select(greater, lhs, rhs);
}
Value VectorBuilder::min(Value lhs, Value rhs) {
  Value less =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, lhs, rhs);
  return select(less, lhs, rhs);
}

Value VectorBuilder::select(Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(b, loc, condition, lhs, rhs);
}

Value VectorBuilder::isSet(Value bytes) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bytes,
                               integers(bytes, 0, 8));
}

Value VectorBuilder::pad(Value vector) {
  VectorType type = vectorType(lanes);
  if (vector.getType() == type)
    return vector;
  return vector::InsertStridedSliceOp::create(
      b, loc, vector, constant(0.0, type), ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{1});
}

Value VectorBuilder::sum(Value vector) {
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, vector,
                                     arith::FastMathFlags::reassoc);
}

Value VectorBuilder::integers(Value like, int64_t value, unsigned bits) {
  Type type = b.getIntegerType(bits);
  auto element = b.getIntegerAttr(type, value);
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vector.clone(type), element));
  return arith::ConstantOp::create(b, loc, element);
}

/// The type of `like` with elements of another type.
static Type withElement(Value like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return vector.clone(element);
  return element;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Coefficients from the constant upwards, by Horner's rule.
Value VectorBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.back(), x.getType());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(coefficient, x.getType()));
  return sum;
}

Value VectorBuilder::exp2(Value x) {
  Type type = x.getType();
  // Adding 1.5 * 2^23 leaves round(x) in the low bits of the sum, on every
  // machine in one addition.
  Value magic = constant(12582912.0, type);
  Value low = constant(-126.0, type), high = constant(128.0, type);
  Value shifted = add(min(max(x, low), constant(127.0, type)), magic);
  // Exact, and not to be contracted: the two additions are the rounding.
  shifted.getDefiningOp<arith::AddFOp>().setFastmath(
      arith::FastMathFlags::none);
  Value rounded = arith::SubFOp::create(b, loc, shifted, magic);
  Value fraction = arith::SubFOp::create(b, loc, x, rounded);
  // Minimax on [-1/2, 1/2]: relative error 2e-9 before rounding.
  Value power =
      polynomial(fraction, {1.0, 0.6931471824645996, 0.24022647738456726,
                            0.055503323674201965, 0.009618435055017471,
                            0.001339887036010623, 0.00015353896014858037});
  // 2^round(x): the low bits become the exponent.
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI32Type()), shifted);
  bits = arith::ShLIOp::create(b, loc, bits, integers(x, 23, 32));
  bits = arith::AddIOp::create(b, loc, bits, integers(x, 0x3F800000, 32));
  Value scale = arith::BitcastOp::create(b, loc, type, bits);
  Value result = arith::MulFOp::create(b, loc, power, scale);
  // Out of range; comparisons are false for NaN, which stays.
  Value under =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, low);
  Value over =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, x, high);
  result = select(under, constant(0.0, type), result);
  return select(over, constant(std::numeric_limits<float>::infinity(), type),
                result);
}

/// x Phi(x) = max(x, 0) - |x| Phi(-|x|), and Phi(-z) = exp(-z^2/2) p(t) with
/// t = 1 / (1 + 0.26 z), in the manner of Abramowitz and Stegun 7.1.26; p is
/// a fit of our own, absolute error of the whole 5e-9 before rounding.
Value VectorBuilder::geluErf(Value x) {
  Type type = x.getType();
  Value zero = constant(0.0, type), one = constant(1.0, type);
  Value magnitude = max(x, sub(zero, x));
  Value t = div(one, fma(magnitude, constant(0.26, type), one));
  Value p = polynomial(t, {0.0, 0.10399235785007477, 0.10267571359872818,
                           0.09004850685596466, 0.13477832078933716,
                           -0.07407253235578537, 0.21190492808818817,
                           -0.06932753324508667});
  Value square = mul(magnitude, magnitude);
  Value gauss = exp2(mul(square, constant(-0.5 * 1.4426950408889634, type)));
  Value tail = mul(p, gauss);
  // Far out the tail is zero, and |x| may be infinite.
  Value product = mul(magnitude, tail);
  Value far = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                    magnitude, constant(16.0, type));
  product = select(far, zero, product);
  return sub(max(x, zero), product);
}

/// x/2 (1 + tanh(u)) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3).
Value VectorBuilder::geluTanh(Value x) {
  Type type = x.getType();
  Value cubic = fma(mul(x, x), constant(0.044715, type), constant(1.0, type));
  const double factor = -2.0 * 0.7978845608028654 * 1.4426950408889634;
  Value power = exp2(mul(mul(x, cubic), constant(factor, type)));
  return div(x, add(constant(1.0, type), power));
}

Value VectorBuilder::silu(Value x) {
  Type type = x.getType();
  Value power = exp2(mul(x, constant(-1.4426950408889634, type)));
  return div(x, add(constant(1.0, type), power));
}

Value VectorBuilder::activation(ActivationKind kind, Value x) {
  switch (kind) {
  case ActivationKind::GeluErf:
    return geluErf(x);
  case ActivationKind::GeluTanh:
    return geluTanh(x);
  case ActivationKind::Relu:
    // In this order NaN stays.
    return max(constant(0.0, x.getType()), x);
  case ActivationKind::Silu:
    return silu(x);
  }
  llvm_unreachable("every activation has a lowering");
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Value VectorBuilder::widen(Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  if (element.isF32())
    return x;
  if (element.isF16())
    return hasF16C ? arith::ExtFOp::create(b, loc, withElement(x, f32()), x)
                   : widenHalf(x);
  // bf16 is the upper half of f32.
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI16Type()), x);
  bits = arith::ExtUIOp::create(b, loc, withElement(x, b.getI32Type()), bits);
  bits = arith::ShLIOp::create(b, loc, bits, integers(x, 16, 32));
  return arith::BitcastOp::create(b, loc, withElement(x, f32()), bits);
}

Value VectorBuilder::narrow(Value x, Type element) {
  if (element.isF32())
    return x;
  if (element.isBF16())
    return narrowToBF16(x);
  return hasF16C ? arith::TruncFOp::create(b, loc, withElement(x, element), x)
                 : narrowToHalf(x);
}

/// To nearest, ties to even: half a unit, less one where the last bit kept is
/// even, is added to the bits before the lower half is cut off.
Value VectorBuilder::narrowToBF16(Value x) {
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI32Type()), x);
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, integers(x, 16, 32)),
      integers(x, 1, 32));
  Value rounded = arith::AddIOp::create(
      b, loc, bits,
      arith::AddIOp::create(b, loc, odd, integers(x, 0x7FFF, 32)));
  // A NaN could become infinite so: it is made quiet instead.
  Value quiet = arith::OrIOp::create(b, loc, bits, integers(x, 0x00400000, 32));
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  rounded = select(isNaN, quiet, rounded);
  rounded = arith::ShRUIOp::create(b, loc, rounded, integers(x, 16, 32));
  rounded =
      arith::TruncIOp::create(b, loc, withElement(x, b.getI16Type()), rounded);
  return arith::BitcastOp::create(b, loc, withElement(x, b.getBF16Type()),
                                  rounded);
}

/// Exponent and mantissa are moved into place and multiplied by 2^112, which
/// also makes subnormals right; infinity and NaN are put right afterwards.
Value VectorBuilder::widenHalf(Value x) {
  Value half =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI16Type()), x);
  Value bits =
      arith::ExtUIOp::create(b, loc, withElement(x, b.getI32Type()), half);
  Value magnitude =
      arith::AndIOp::create(b, loc, bits, integers(x, 0x7FFF, 32));
  Value sign = arith::ShLIOp::create(
      b, loc, arith::AndIOp::create(b, loc, bits, integers(x, 0x8000, 32)),
      integers(x, 16, 32));
  Value moved = arith::ShLIOp::create(b, loc, magnitude, integers(x, 13, 32));
  Value finite = arith::MulFOp::create(
      b, loc, arith::BitcastOp::create(b, loc, withElement(x, f32()), moved),
      constant(std::ldexp(1.0, 112), withElement(x, f32())));
  Value special = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                        magnitude, integers(x, 0x7C00, 32));
  Value specialBits =
      arith::OrIOp::create(b, loc, moved, integers(x, 0x7F800000, 32));
  Value finiteBits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI32Type()), finite);
  Value result = arith::OrIOp::create(
      b, loc, select(special, specialBits, finiteBits), sign);
  return arith::BitcastOp::create(b, loc, withElement(x, f32()), result);
}

/// Normal numbers are rounded in the integers, as for bf16; numbers below
/// 2^-14 by adding 1/2, whose last bit is the last bit of a subnormal.
Value VectorBuilder::narrowToHalf(Value x) {
  Type i32 = withElement(x, b.getI32Type());
  Value bits = arith::BitcastOp::create(b, loc, i32, x);
  Value magnitude =
      arith::AndIOp::create(b, loc, bits, integers(x, 0x7FFFFFFF, 32));
  Value sign = arith::ShRUIOp::create(
      b, loc,
      arith::AndIOp::create(b, loc, bits, integers(x, -0x7FFFFFFF - 1, 32)),
      integers(x, 16, 32));
  // Normal: rebias by 112 and round 13 bits away.
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, magnitude, integers(x, 13, 32)),
      integers(x, 1, 32));
  Value normal = arith::AddIOp::create(
      b, loc, magnitude,
      arith::AddIOp::create(b, loc, odd,
                            integers(x, 0xFFF - (int64_t(112) << 23), 32)));
  normal = arith::ShRUIOp::create(b, loc, normal, integers(x, 13, 32));
  // Subnormal.
  Value small = arith::AddFOp::create(
      b, loc,
      arith::BitcastOp::create(b, loc, withElement(x, f32()), magnitude),
      constant(0.5, withElement(x, f32())));
  Value subnormal = arith::SubIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i32, small),
      integers(x, 0x3F000000, 32));
  Value isSmall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        magnitude, integers(x, 0x38800000, 32));
  Value result = select(isSmall, subnormal, normal);
  // From 65520 on, infinity; NaN stays NaN.
  Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                        magnitude, integers(x, 0x477FF000, 32));
  result = select(isLarge, integers(x, 0x7C00, 32), result);
  Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                      magnitude, integers(x, 0x7F800000, 32));
  result = select(isNaN, integers(x, 0x7E00, 32), result);
  result = arith::OrIOp::create(b, loc, result, sign);
  result =
      arith::TruncIOp::create(b, loc, withElement(x, b.getI16Type()), result);
  return arith::BitcastOp::create(b, loc, withElement(x, b.getF16Type()),
                                  result);
}
