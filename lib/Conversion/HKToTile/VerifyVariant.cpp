// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a #hk.cuda kernel may contain.

#include "KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

/// The kernels compute in f32: a value of another type is loaded and stored,
/// and multiplied, through casts.
static LogicalResult verifyElements(Operation *op) {
  for (Value value : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isa<FloatType>(type.getElementType()))
      continue;
    if (!isa<CastOp, SplitOp, AttentionOp>(op) &&
        !type.getElementType().isF32())
      return op->emitOpError()
             << "expects f32 operands in a #hk.cuda kernel, but got " << type
             << " (hk-widen inserts the casts)";
  }
  if (isa<CastOp>(op) && getElementTypeOrSelf(op->getResult(0)).isF64())
    return op->emitOpError() << "expects no f64 in a #hk.cuda kernel, but got "
                             << op->getResult(0).getType();
  return success();
}

static LogicalResult verifyVector(Operation *op, Value value, StringRef what) {
  if (!value || value.getDefiningOp<PackedGetOp>())
    return success();
  return op->emitOpError() << "expects a packed " << what
                           << " in a #hk.cuda kernel, but got " << value;
}

/// A packed value is of the layer that is the argument, or of one after it.
static LogicalResult verifyLayer(PackedGetOp get) {
  Value layer = get.getLayer();
  while (layer && !isa<BlockArgument>(layer)) {
    auto sum = layer.getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> distance;
    if (sum)
      distance = getConstantIntValue(sum.getRhs());
    if (!distance || *distance < 0)
      return get.emitOpError()
             << "expects the layer that is an argument, or that and a constant "
                "which is not negative, in a #hk.cuda kernel, but got "
             << layer;
    layer = sum.getLhs();
  }
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (auto get = dyn_cast<PackedGetOp>(op))
    return verifyLayer(get);
  // The index of another layer.
  if (isa<arith::ConstantOp, arith::AddIOp>(op) &&
      op->getResult(0).getType().isIndex())
    return success();
  if (!isElementwise(op) &&
      !isa<SplitOp, LinearOp, LayerNormOp, RMSNormOp, AttentionOp>(op))
    return op->emitOpError()
           << "expects an operation that #hk.cuda has a lowering for, but got "
           << op->getName();
  if (failed(verifyElements(op)))
    return failure();
  if (auto norm = dyn_cast<LayerNormOp>(op))
    if (failed(verifyVector(op, norm.getBeta(), "beta")))
      return failure();
  if (isa<LayerNormOp, RMSNormOp>(op) && op->getNumOperands() > 1)
    return verifyVector(op, op->getOperand(1), "gamma");
  if (auto linear = dyn_cast<LinearOp>(op)) {
    Value weight = linear.getWeight();
    if (!weight.getDefiningOp<PackedGetOp>() ||
        cast<RankedTensorType>(weight.getType()).getEncoding())
      return op->emitOpError() << "expects a packed weight without a layout in "
                                  "a #hk.cuda kernel, but got "
                               << weight.getType();
    return verifyVector(op, linear.getBias(), "bias");
  }
  return success();
}

/// Adds to what is known of the rows of a sequence.
static LogicalResult verifyType(VariantOp variant, Type type,
                                int64_t &sequence) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success(); // The layer.
  if (tensor.getElementType().isF64())
    return variant.emitOpError()
           << "expects no f64 in a #hk.cuda kernel, but got " << type;
  bool isFloat = isa<FloatType>(tensor.getElementType());
  if (tensor.getRank() != (isFloat                                ? 3
                           : tensor.getElementType().isInteger(1) ? 2
                                                                  : 1))
    return variant.emitOpError()
           << "expects activations [B, S, D], masks [B, S] and lengths [B] in "
              "a #hk.cuda kernel, but got "
           << type;
  if (tensor.getRank() == 1)
    return success();
  if (sequence != 0 && sequence != tensor.getDimSize(1))
    return variant.emitOpError()
           << "expects sequences of one length in a #hk.cuda kernel, but got "
           << sequence << " and " << tensor.getDimSize(1) << " rows";
  sequence = tensor.getDimSize(1);
  return success();
}

FailureOr<int64_t> hk::tile::verifyVariant(VariantOp variant) {
  Block &body = variant.getBody().front();
  int64_t sequence = 0;
  for (Type type : body.getArgumentTypes())
    if (failed(verifyType(variant, type, sequence)))
      return failure();
  for (Type type : body.getTerminator()->getOperandTypes())
    if (failed(verifyType(variant, type, sequence)))
      return failure();
  if (sequence == 0)
    return variant.emitOpError()
           << "expects an operand or result [B, S, D] in a #hk.cuda kernel, "
              "but got none";
  for (Operation &op : body.without_terminator())
    if (failed(verifyOp(&op)))
      return failure();
  return sequence;
}
