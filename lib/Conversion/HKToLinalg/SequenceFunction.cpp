// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compute.h"
#include "LoopsKernel.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hk;

/// The type with a batch of one.
static RankedTensorType getSequenceType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.front() = 1;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// How a tensor lies in memory: densely, an i1 in a byte.
static MemRefType getBufferType(RankedTensorType tensor) {
  Type element = tensor.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  return MemRefType::get(tensor.getShape(), element);
}

static LogicalResult verifyBody(VariantOp variant) {
  Block &body = variant.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    if (isa<IndexType>(argument.getType()) &&
        argument.getArgNumber() + 1 == body.getNumArguments())
      continue;
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor || tensor.getRank() == 0 ||
        llvm::any_of(tensor.getShape().drop_front(), ShapedType::isDynamic))
      return variant.emitOpError()
             << "expects arguments with a batch and otherwise static, but got "
             << argument.getType();
  }
  for (Operation &op : body) {
    if (auto get = dyn_cast<PackedGetOp>(op)) {
      auto type = cast<RankedTensorType>(get.getResult().getType());
      if (type.getEncoding() || !type.hasStaticShape())
        return op.emitOpError()
               << "expects dense and static packed values in a #hk.loops "
                  "variant, but got "
               << type;
      continue;
    }
    if (!isa<ScopeOpInterface, YieldOp>(op))
      return op.emitOpError()
             << "expects only operations on activations, hk.packed.get and "
                "hk.yield in a #hk.loops variant, but got this one";
  }
  return success();
}

namespace {
/// Clones a body into a function on memrefs.
class BodyCloner {
public:
  BodyCloner(VariantOp variant, SequenceFunction &result)
      : variant(variant), result(result),
        builder(OpBuilder::atBlockEnd(result.function.addEntryBlock())) {}

  void run() {
    Block &body = variant.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (!isa<IndexType>(argument.getType()))
        cloneArgument(argument);
    for (Operation &op : body) {
      if (auto get = dyn_cast<PackedGetOp>(op))
        clonePackedGet(get);
      else if (auto yield = dyn_cast<YieldOp>(op))
        cloneYield(yield);
      else
        cloneCompute(op);
    }
  }

private:
  Value read(Value buffer, Location loc) {
    auto type = cast<MemRefType>(buffer.getType());
    return bufferization::ToTensorOp::create(
        builder, loc,
        RankedTensorType::get(type.getShape(), type.getElementType()), buffer,
        /*restrict=*/true);
  }

  void cloneArgument(BlockArgument argument) {
    Location loc = argument.getLoc();
    Value tensor =
        read(result.function.getArgument(argument.getArgNumber()), loc);
    auto type = getSequenceType(argument.getType());
    if (type.getElementType().isInteger(1))
      tensor = buildElements(
          builder, loc, type, tensor,
          ElementInput{tensor, builder.getMultiDimIdentityMap(type.getRank())},
          [](OpBuilder &b, Location l, ValueRange byte) -> SmallVector<Value> {
            Value zero = arith::ConstantOp::create(b, l, b.getI8IntegerAttr(0));
            return {arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne,
                                          byte[0], zero)};
          })[0];
    mapping.map(argument, tensor);
  }

  void clonePackedGet(PackedGetOp get) {
    unsigned slot =
        llvm::find(result.packed, get.getSymbolAttr()) - result.packed.begin();
    Value buffer = result.function.getArgument(result.buffers + slot);
    mapping.map(get.getResult(), read(buffer, get.getLoc()));
    parameters.insert(get.getResult());
  }

  /// What is computed of packed values alone has no batch.
  void cloneCompute(Operation &op) {
    bool parameterOnly = llvm::all_of(
        op.getOperands(), [&](Value v) { return parameters.contains(v); });
    Operation *clone = builder.clone(op, mapping);
    for (auto [original, copy] :
         llvm::zip_equal(op.getResults(), clone->getResults())) {
      if (parameterOnly)
        parameters.insert(original);
      else
        copy.setType(getSequenceType(original.getType()));
    }
  }

  void cloneYield(YieldOp yield) {
    unsigned first = result.buffers - yield.getNumOperands();
    for (auto [index, value] : llvm::enumerate(yield.getValues()))
      bufferization::MaterializeInDestinationOp::create(
          builder, yield.getLoc(), Type(), mapping.lookup(value),
          result.function.getArgument(first + index), /*restrict=*/true,
          /*writable=*/true);
    func::ReturnOp::create(builder, yield.getLoc());
  }

  VariantOp variant;
  SequenceFunction &result;
  OpBuilder builder;
  IRMapping mapping;
  /// The values that depend on packed values alone.
  DenseSet<Value> parameters;
};
} // namespace

FailureOr<SequenceFunction>
hk::buildSequenceFunction(VariantOp variant, StringRef name, ModuleOp module) {
  if (failed(verifyBody(variant)))
    return failure();
  Block &body = variant.getBody().front();

  SequenceFunction result;
  SmallVector<Type> types;
  for (Type type : body.getArgumentTypes())
    if (!isa<IndexType>(type))
      types.push_back(getBufferType(getSequenceType(type)));
  for (Type type : body.getTerminator()->getOperandTypes())
    types.push_back(getBufferType(getSequenceType(type)));
  result.buffers = types.size();
  for (auto get : body.getOps<PackedGetOp>()) {
    if (llvm::is_contained(result.packed, get.getSymbolAttr()))
      continue;
    result.packed.push_back(get.getSymbolAttr());
    types.push_back(
        getBufferType(cast<RankedTensorType>(get.getResult().getType())));
  }

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  result.function = func::FuncOp::create(builder, variant.getLoc(), name,
                                         builder.getFunctionType(types, {}));
  result.function.setPrivate();
  BodyCloner(variant, result).run();
  return result;
}
