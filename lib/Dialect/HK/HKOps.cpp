// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and type inference of the operations a network is written in. The
// labels (C1).. are those of the operations' descriptions.

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace hk;

bool hk::isValuePreserving(FloatType from, FloatType to) {
  const llvm::fltSemantics &narrow = from.getFloatSemantics();
  const llvm::fltSemantics &wide = to.getFloatSemantics();
  return llvm::APFloat::semanticsPrecision(narrow) <=
             llvm::APFloat::semanticsPrecision(wide) &&
         llvm::APFloat::semanticsMaxExponent(narrow) <=
             llvm::APFloat::semanticsMaxExponent(wide) &&
         llvm::APFloat::semanticsMinExponent(narrow) >=
             llvm::APFloat::semanticsMinExponent(wide);
}

bool CastOp::keepsValues() {
  return isValuePreserving(cast<FloatType>(getElementTypeOrSelf(getInput())),
                           cast<FloatType>(getElementTypeOrSelf(getResult())));
}

//===----------------------------------------------------------------------===//
// Checks that several operations share
//===----------------------------------------------------------------------===//

/// Activations: rank 2 or more, static but for dimension 0, no layout.
static LogicalResult verifyActivations(Operation *op, StringRef name,
                                       Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() < 2)
    return op->emitOpError()
           << "expects " << name << " of rank 2 or more, but got " << tensor;
  if (tensor.getEncoding())
    return op->emitOpError()
           << "expects " << name << " without a layout, but got " << tensor;
  for (int64_t dim : tensor.getShape().drop_front())
    if (ShapedType::isDynamic(dim) || dim == 0)
      return op->emitOpError()
             << "expects " << name
             << " to be static and not empty but for dimension 0, but got "
             << tensor;
  return success();
}

/// A vector with as many elements as `size`.
static LogicalResult verifyVector(Operation *op, StringRef name, Value vector,
                                  int64_t size) {
  if (!vector)
    return success();
  auto type = cast<RankedTensorType>(vector.getType());
  if (type.getRank() != 1 || type.getDimSize(0) != size)
    return op->emitOpError() << "expects " << name << " to be a vector of "
                             << size << " elements, but got " << type;
  return success();
}

static LogicalResult verifyEpsilon(Operation *op, const APFloat &eps) {
  if (!eps.isFinite() || eps.isNegative() || eps.isZero())
    return op->emitOpError()
           << "expects eps to be positive and finite, but got "
           << eps.convertToDouble();
  return success();
}

/// Masks: `lengths` is [B] and `key_mask` is [B, S] of the tensor `type`.
static LogicalResult verifyMask(Operation *op, RankedTensorType type,
                                Value lengths, Value keyMask) {
  if (lengths) {
    auto mask = cast<RankedTensorType>(lengths.getType());
    if (mask.getDimSize(0) != type.getDimSize(0))
      return op->emitOpError() << "expects lengths with the batch of " << type
                               << ", but got " << mask;
  }
  if (keyMask) {
    auto mask = cast<RankedTensorType>(keyMask.getType());
    if (mask.getShape() != type.getShape().take_front(2))
      return op->emitOpError()
             << "expects key_mask of the first two dimensions "
                "of "
             << type << ", but got " << mask;
  }
  return success();
}

/// The result has the type of the first operand.
template <typename Adaptor>
static LogicalResult inferFirstOperand(std::optional<Location> location,
                                       StringRef name, Value value,
                                       SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return emitOptionalError(location, "'", name,
                             "' op expects a ranked tensor, but got ",
                             value.getType());
  types.push_back(type);
  return success();
}

/// Dimension 0 of the result is that of `input`; the rest is static.
static LogicalResult reifyLike(OpBuilder &builder, Operation *op, Value input,
                               ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : op->getResults()) {
    SmallVector<OpFoldResult> dims;
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (type.isDynamicDim(d))
        dims.push_back(
            tensor::DimOp::create(builder, op->getLoc(), input, d).getResult());
      else
        dims.push_back(builder.getIndexAttr(type.getDimSize(d)));
    }
    shapes.push_back(std::move(dims));
  }
  return success();
}

#define HK_ROW_OP(Op, Input)                                                   \
  Scope Op::getScope() { return Scope::Row; }                                  \
  LogicalResult Op::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyLike(builder, getOperation(), Input, shapes);                  \
  }
#define HK_SAME_TYPE(Op, Input)                                                \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> location, Adaptor adaptor,        \
      SmallVectorImpl<Type> &types) {                                          \
    return inferFirstOperand<Adaptor>(location, getOperationName(),            \
                                      adaptor.Input(), types);                 \
  }

HK_ROW_OP(LinearOp, getInput())
HK_ROW_OP(LayerNormOp, getInput())
HK_ROW_OP(RMSNormOp, getInput())
HK_ROW_OP(ActivationOp, getInput())
HK_ROW_OP(AddOp, getLhs())
HK_ROW_OP(MulOp, getLhs())
HK_ROW_OP(MaskRowsOp, getInput())
HK_ROW_OP(CastOp, getInput())
HK_ROW_OP(SplitOp, getInput())

HK_SAME_TYPE(LayerNormOp, getInput)
HK_SAME_TYPE(RMSNormOp, getInput)
HK_SAME_TYPE(ActivationOp, getInput)
HK_SAME_TYPE(AddOp, getLhs)
HK_SAME_TYPE(MulOp, getLhs)
HK_SAME_TYPE(MaskRowsOp, getInput)
HK_SAME_TYPE(AttentionOp, getQuery)

#undef HK_ROW_OP
#undef HK_SAME_TYPE

//===----------------------------------------------------------------------===//
// ParamOp
//===----------------------------------------------------------------------===//

LogicalResult ParamOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.hasStaticShape() || type.getRank() < 1 || type.getRank() > 2 ||
      type.getNumElements() == 0 || type.getEncoding()) // (C1)
    return emitOpError() << "expects a static, non-empty type of rank 1 or 2 "
                            "without a layout, but got "
                         << type;
  if (getKey().empty()) // (C2)
    return emitOpError() << "expects a key, but got an empty string";
  size_t holes = getKey().count("{}");
  if (holes != (getLayer() ? 1u : 0u)) // (C3)
    return emitOpError() << "expects "
                         << (getLayer() ? "one \"{}\"" : "no \"{}\"")
                         << " in the key of a parameter "
                         << (getLayer() ? "with" : "without")
                         << " a layer, but got \"" << getKey() << "\"";
  if (std::optional<Type> from = getFrom()) { // (C4)
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(*from) ||
        !isValuePreserving(cast<FloatType>(*from),
                           cast<FloatType>(type.getElementType())))
      return emitOpError() << "expects `from` to be f16, bf16, f32 or f64 and "
                              "every value of it to be one of "
                           << type.getElementType() << ", but got " << *from;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = dyn_cast<RankedTensorType>(adaptor.getWeight().getType());
  if (!input || input.getRank() < 2)
    return emitOptionalError(location, "'", getOperationName(),
                             "' op expects input of rank 2 or more, but got ",
                             adaptor.getInput().getType());
  if (!weight || weight.getRank() != 2 || !weight.hasStaticShape()) // (C1)
    return emitOptionalError(location, "'", getOperationName(),
                             "' op expects a static weight of rank 2, but got ",
                             adaptor.getWeight().getType());
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult LinearOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto weight = cast<RankedTensorType>(getWeight().getType());
  if (failed(verifyActivations(*this, "input", input))) // (C4)
    return failure();
  if (input.getShape().back() != weight.getDimSize(1)) // (C2)
    return emitOpError() << "expects a weight of " << input.getShape().back()
                         << " input features, but got " << weight;
  if (failed(verifyVector(*this, "bias", getBias(),
                          weight.getDimSize(0)))) // (C3)
    return failure();
  if (getBias() && getElementTypeOrSelf(getBias()) != weight.getElementType())
    return emitOpError() << "expects a bias of the element type of the weight ("
                         << weight.getElementType() << "), but got "
                         << getBias().getType(); // (C5)
  return success();
}

//===----------------------------------------------------------------------===//
// Norms and element-wise operations
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  if (failed(verifyActivations(*this, "input", getInput().getType()))) // (C1)
    return failure();
  if (getBeta() && !getGamma()) // (C4)
    return emitOpError() << "expects a gamma beside beta, but got none";
  if (failed(verifyVector(*this, "gamma", getGamma(), getFeatures())) ||
      failed(verifyVector(*this, "beta", getBeta(), getFeatures()))) // (C2)
    return failure();
  return verifyEpsilon(*this, getEps()); // (C3)
}

LogicalResult RMSNormOp::verify() {
  if (failed(verifyActivations(*this, "input", getInput().getType()))) // (C1)
    return failure();
  if (failed(verifyVector(*this, "gamma", getGamma(), getFeatures()))) // (C2)
    return failure();
  return verifyEpsilon(*this, getEps()); // (C3)
}

LogicalResult ActivationOp::verify() {
  return verifyActivations(*this, "input", getInput().getType()); // (C1)
}

static LogicalResult verifyBinary(Operation *op, Type lhs, Type rhs) {
  if (failed(verifyActivations(op, "operands", lhs))) // (C1)
    return failure();
  if (lhs != rhs) // (C2)
    return op->emitOpError() << "expects two operands of one type, but got "
                             << lhs << " and " << rhs;
  return success();
}

LogicalResult AddOp::verify() {
  return verifyBinary(*this, getLhs().getType(), getRhs().getType());
}

LogicalResult MulOp::verify() {
  return verifyBinary(*this, getLhs().getType(), getRhs().getType());
}

LogicalResult MaskRowsOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  if (type.getRank() != 3) // (C1)
    return emitOpError() << "expects input to be [B, S, D], but got " << type;
  if (failed(verifyActivations(*this, "input", type)))
    return failure();
  if (!getLengths() == !getKeyMask()) // (C2)
    return emitOpError() << "expects one of lengths and key_mask, but got "
                         << (getLengths() ? "both" : "neither");
  return verifyMask(*this, type, getLengths(), getKeyMask()); // (C3)
}

LogicalResult CastOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (input.getShape() != result.getShape() ||
      input.getEncoding() != result.getEncoding()) // (C1)
    return emitOpError() << "expects a result of the shape and layout of "
                         << input << ", but got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// SplitOp
//===----------------------------------------------------------------------===//

int64_t SplitOp::getColumnOffset(unsigned index) {
  int64_t offset = 0;
  for (Value result : getResults().take_front(index))
    offset += cast<RankedTensorType>(result.getType()).getShape().back();
  return offset;
}

LogicalResult SplitOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  if (failed(verifyActivations(*this, "input", input)))
    return failure();
  if (getResults().empty()) // (C3)
    return emitOpError() << "expects at least one result, but got none";
  int64_t columns = 0;
  for (Value result : getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getRank() != input.getRank() ||
        type.getShape().drop_back() != input.getShape().drop_back() ||
        type.getElementType() != input.getElementType() ||
        type.getEncoding()) // (C1)
      return emitOpError() << "expects results like " << input
                           << " but for the last dimension, but got " << type;
    // A dynamic size would spoil the sum.
    if (type.getShape().back() < 1) // (C2)
      return emitOpError() << "expects results with a static, non-empty last "
                              "dimension, but got "
                           << type;
    columns += type.getShape().back();
  }
  if (columns != input.getShape().back()) // (C2)
    return emitOpError() << "expects results of " << input.getShape().back()
                         << " columns in all, but got " << columns;
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

Scope AttentionOp::getScope() { return Scope::Sequence; }

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getQuery(), shapes);
}

double AttentionOp::getScaleValue() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToDouble();
  return 1.0 / std::sqrt(static_cast<double>(getHeadDim()));
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQueryType();
  if (query.getRank() != 3) // (C1)
    return emitOpError()
           << "expects query to be [B, S, num_heads * hd], but got " << query;
  if (failed(verifyActivations(*this, "query", query)))
    return failure();
  // The accessors are unsigned, what was written need not be.
  int64_t heads = getNumHeadsAttr().getInt(), kvHeads = heads;
  if (IntegerAttr attr = getNumKvHeadsAttr())
    kvHeads = attr.getInt();
  if (heads < 1 || query.getDimSize(2) % heads != 0) // (C2)
    return emitOpError() << "expects num_heads to divide "
                         << query.getDimSize(2) << ", but got " << heads;
  if (kvHeads < 1 || heads % kvHeads != 0) // (C3)
    return emitOpError() << "expects num_kv_heads to divide num_heads = "
                         << heads << ", but got " << kvHeads;
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = kvHeads * getHeadDim();
  auto expected = RankedTensorType::get(shape, query.getElementType());
  for (auto [name, value] :
       {std::pair<StringRef, Value>("key", getKey()), {"value", getValue()}})
    if (value.getType() != expected) // (C4)
      return emitOpError() << "expects " << name << " to be " << expected
                           << ", but got " << value.getType();
  if (getLengths() && getKeyMask()) // (C5)
    return emitOpError()
           << "expects at most one of lengths and key_mask, but got both";
  if (getScale() && !getScale()->isFinite()) // (C7)
    return emitOpError() << "expects a finite scale, but got "
                         << getScale()->convertToDouble();
  return verifyMask(*this, query, getLengths(), getKeyMask()); // (C6)
}
