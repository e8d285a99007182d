// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compute.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;

Value Compute::constant(double value) const {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value Compute::index(int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value Compute::widen(Value value) const {
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(b, loc, type, value);
}

Value Compute::narrow(Value value, Type result) const {
  if (value.getType() == result)
    return value;
  return arith::TruncFOp::create(b, loc, result, value);
}

Value Compute::load(Value tensor, ValueRange indices) const {
  return widen(tensor::ExtractOp::create(b, loc, tensor, indices));
}

Value Compute::add(Value x, Value y) const {
  return arith::AddFOp::create(b, loc, x, y);
}
Value Compute::sub(Value x, Value y) const {
  return arith::SubFOp::create(b, loc, x, y);
}
Value Compute::mul(Value x, Value y) const {
  return arith::MulFOp::create(b, loc, x, y);
}
Value Compute::div(Value x, Value y) const {
  return arith::DivFOp::create(b, loc, x, y);
}

SmallVector<Value> Compute::loop(
    Value count, ValueRange inits,
    function_ref<SmallVector<Value>(Compute, Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(
      b, loc, index(0), count, index(1), inits,
      [&](OpBuilder &nested, Location l, Value i, ValueRange carried) {
        scf::YieldOp::create(nested, l,
                             body(Compute{nested, l, type}, i, carried));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value Compute::sum(int64_t count,
                   function_ref<Value(Compute, Value)> term) const {
  // The order of a sum is no part of its meaning, and LLVM can use the freedom.
  constexpr auto flags =
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  return loop(
      index(count), constant(0.0), [&](Compute c, Value i, ValueRange carried) {
        Value sum =
            arith::AddFOp::create(c.b, c.loc, carried[0], term(c, i), flags);
        return SmallVector<Value>{sum};
      })[0];
}

FloatType hk::getComputeType(ValueRange values) {
  MLIRContext *context = values.front().getContext();
  for (Value value : values)
    if (getElementTypeOrSelf(value).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}

Value hk::buildEmpty(OpBuilder &b, Location loc, RankedTensorType type,
                     Value like) {
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, like, d));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

SmallVector<Value> hk::buildElements(
    OpBuilder &b, Location loc, ArrayRef<RankedTensorType> types, Value like,
    ArrayRef<ElementInput> inputs,
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> body) {
  int64_t rank = types.front().getRank();
  SmallVector<Value> tensors, inits;
  SmallVector<Type> resultTypes;
  SmallVector<AffineMap> maps;
  for (const ElementInput &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  for (RankedTensorType type : types) {
    inits.push_back(buildEmpty(b, loc, type, like));
    resultTypes.push_back(type);
    maps.push_back(b.getMultiDimIdentityMap(rank));
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, resultTypes, tensors, inits, maps, iterators,
      [&](OpBuilder &nested, Location l, ValueRange elements) {
        linalg::YieldOp::create(
            nested, l, body(nested, l, elements.take_front(inputs.size())));
      });
  return llvm::to_vector_of<Value>(generic.getResults());
}
