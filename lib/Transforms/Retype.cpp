// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Transforms/Retype.h"

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hk;

/// The type with its element type replaced, if it is a tensor of floats.
static Type retype(Type type, const FloatRetyping &retyping) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      tensor ? dyn_cast<FloatType>(tensor.getElementType()) : nullptr;
  if (!element)
    return type;
  return tensor.clone(retyping.elementType(element));
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<ShapedType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// The operations that a network consists of, and those that see no floats.
static LogicalResult verifyNetwork(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError()
           << "expects a network in one block, but got "
           << function.getBody().getBlocks().size() << " blocks";
  for (Operation &op : function.getBody().front()) {
    if (isa<ParamOp, ScopeOpInterface, func::ReturnOp>(op))
      continue;
    if (op.getNumRegions() == 0 &&
        llvm::none_of(op.getOperandTypes(), isFloatTensor) &&
        llvm::none_of(op.getResultTypes(), isFloatTensor))
      continue;
    return op.emitOpError()
           << "cannot be retyped: expects only the operations of a network "
              "(hk.param and row or sequence operations), but got this one; "
              "retype before layers are rolled and parameters are packed";
  }
  return success();
}

/// Inputs keep their types; what the body sees of them is cast.
static void retypeInputs(func::FuncOp function, const FloatRetyping &retyping) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (BlockArgument argument : function.getArguments()) {
    Type type = retype(argument.getType(), retyping);
    if (type == argument.getType() || argument.use_empty())
      continue;
    auto cast = CastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(cast.getResult(), cast);
  }
}

/// `cast` is one of the network: its input is retyped already.
static void retypeCast(CastOp cast, const FloatRetyping &retyping) {
  OpBuilder builder(cast);
  Type type = cast.getResult().getType(), wide = retype(type, retyping);
  Value value = cast.getInput();
  if (retyping.keepRounding && wide != type)
    value = CastOp::create(builder, cast.getLoc(), type, value);
  if (value.getType() != wide)
    value = CastOp::create(builder, cast.getLoc(), wide, value);
  cast.getResult().replaceAllUsesWith(value);
  cast.erase();
}

static void retypeParam(ParamOp param, const FloatRetyping &retyping) {
  Type type = param.getResult().getType(), wide = retype(type, retyping);
  if (type == wide)
    return;
  if (!param.getFrom())
    param.setFrom(getElementTypeOrSelf(type));
  param.getResult().setType(cast<RankedTensorType>(wide));
}

static void retypeReturn(func::ReturnOp terminator, func::FuncOp function,
                         const FloatRetyping &retyping) {
  OpBuilder builder(terminator);
  SmallVector<Type> types;
  for (auto [operand, type] : llvm::zip_equal(terminator->getOpOperands(),
                                              function.getResultTypes())) {
    types.push_back(retyping.keepResults ? type : retype(type, retyping));
    // Also where an input is returned as it came.
    if (operand.get().getType() != types.back())
      operand.set(CastOp::create(builder, terminator.getLoc(), types.back(),
                                 operand.get()));
  }
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), types));
}

LogicalResult hk::retypeFloats(func::FuncOp function,
                               const FloatRetyping &retyping) {
  if (failed(verifyNetwork(function)))
    return failure();

  // The casts at the entry are not the network's.
  SmallVector<Operation *> network;
  for (Operation &op : function.getBody().front())
    network.push_back(&op);
  retypeInputs(function, retyping);
  for (Operation *op : network) {
    if (auto cast = dyn_cast<CastOp>(op))
      retypeCast(cast, retyping);
    else if (auto param = dyn_cast<ParamOp>(op))
      retypeParam(param, retyping);
    else if (auto terminator = dyn_cast<func::ReturnOp>(op))
      retypeReturn(terminator, function, retyping);
    else
      for (Value result : op->getResults())
        result.setType(retype(result.getType(), retyping));
  }
  return success();
}
