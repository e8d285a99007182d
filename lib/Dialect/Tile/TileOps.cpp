// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level V of the tile dialect: the kernel, folds, builders.

#include "hk/Dialect/Tile/TileDialect.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace hk;
using namespace hk::tile;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, int64_t units) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getUnitsAttrName(state.name),
                     builder.getI64IntegerAttr(units));
  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  block.addArguments(
      type.getInputs(),
      SmallVector<Location>(type.getNumInputs(), state.location));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto getType = [](Builder &builder, ArrayRef<Type> arguments,
                    ArrayRef<Type> results,
                    function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), getType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  for (Type type : getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    bool isMemory = memref && (memref.getRank() == 1 || memref.getRank() == 2);
    if (!isMemory && !isa<TilesType, IndexType>(type)) // (C1)
      return emitOpError() << "expects arguments that are memrefs of rank 1 or "
                              "2, !tile.tiles or index, but got "
                           << type;
  }
  if (!getResultTypes().empty()) // (C2)
    return emitOpError() << "expects no result, but got "
                         << getResultTypes().size();
  if (getUnitsAttr().getInt() < 1 || getThreads() > 1024) // (C3)
    return emitOpError() << "expects units of one warp or more and at most "
                            "1024 threads, but got "
                         << getUnitsAttr().getInt() << " units and "
                         << getThreads() << " threads";
  for (unsigned i = 0; i < getNumArguments(); ++i) // (C4)
    if (getArgAttr(i, getConstantAttrName()) &&
        !isa<MemRefType>(getArgumentTypes()[i]))
      return emitOpError() << "expects " << getConstantAttrName()
                           << " on memrefs only, but got it on "
                           << getArgumentTypes()[i];
  return success();
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, FragType type,
                  ValueRange inputs,
                  function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  state.addTypes(type);
  state.addOperands(inputs);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    block->addArgument(cast<FragType>(input.getType()).getElementType(),
                       input.getLoc());
  Value result = body(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, result);
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? getInputs().front() : Value();
}
