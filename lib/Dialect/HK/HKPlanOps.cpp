// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, executables and plans. The labels (C1).. are those of the
// operations' descriptions.

#include "hk/Dialect/EnumKeyword.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace hk;

static LogicalResult verifyBatchMap(Operation *op, StringRef name,
                                    AffineMap map) {
  if (map.getNumDims() != 0 || map.getNumSymbols() != 1 ||
      map.getNumResults() != 1)
    return op->emitOpError()
           << "expects " << name
           << " to be a map of the batch, ()[B] -> (..), but got "
           << AffineMapAttr::get(map);
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getName());
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : "
                                  << input.getType();
                        });
  printer << ") -> (";
  llvm::interleaveComma(getResultTypes(), printer);
  printer << ") scope(" << stringifyScope(getScope()) << ')';
  if (getSchedules())
    printer << " schedules " << *getSchedules();
  if (IntegerAttr skipRows = getSkipRowsAttr())
    printer << " skip_rows(" << skipRows.getInt() << ')';
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getNameAttrName(), getScopeAttrName(),
                            getSchedulesAttrName(), getSkipRowsAttrName()});
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<Type> types, resultTypes;
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  if (parser.parseSymbolName(name) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseInput) ||
      parser.parseArrow() || parser.parseLParen() ||
      (parser.parseOptionalRParen().failed() &&
       (parser.parseTypeList(resultTypes) || parser.parseRParen())) ||
      parser.parseKeyword("scope") || parser.parseLParen())
    return failure();
  ScopeAttr scope;
  if (parseEnumKeyword(parser, scope) || parser.parseRParen())
    return failure();
  result.addAttribute(getNameAttrName(result.name), name);
  result.addAttribute(getScopeAttrName(result.name), scope);
  if (succeeded(parser.parseOptionalKeyword("schedules"))) {
    ArrayAttr schedules;
    if (parser.parseAttribute(schedules, getSchedulesAttrName(result.name),
                              result.attributes))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("skip_rows"))) {
    IntegerAttr skipRows;
    if (parser.parseLParen() ||
        parser.parseAttribute(skipRows, parser.getBuilder().getI64Type(),
                              getSkipRowsAttrName(result.name),
                              result.attributes) ||
        parser.parseRParen())
      return failure();
  }
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  if (parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(resultTypes);
  return parser.resolveOperands(inputs, types, parser.getNameLoc(),
                                result.operands);
}

/// Follows views (`hk.split`) and casts to the value that is read.
static Value viewed(Value value) {
  while (isa_and_present<SplitOp, CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Checks that `skip_rows` is the index of a mask among `values`.
static LogicalResult verifySkipRows(Operation *op, IntegerAttr skipRows,
                                    ValueRange values) {
  if (!skipRows)
    return success();
  int64_t index = skipRows.getInt();
  if (index < 0 || index >= static_cast<int64_t>(values.size()))
    return op->emitOpError() << "expects skip_rows to be an index below "
                             << values.size() << ", but got " << index;
  auto type = dyn_cast<RankedTensorType>(values[index].getType());
  bool isLengths = type && type.getRank() == 1 &&
                   type.getElementType().isSignlessInteger(32);
  bool isKeyMask =
      type && type.getRank() == 2 && type.getElementType().isSignlessInteger(1);
  if (!isLengths && !isKeyMask)
    return op->emitOpError()
           << "expects skip_rows to be the index of a mask (a vector of i32 or "
              "a matrix of i1), but got "
           << values[index].getType();
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (!llvm::equal(block.getArgumentTypes(), getInputs().getTypes())) // (C1)
    return emitOpError() << "expects arguments of the types of the operands ("
                         << getInputs().getTypes() << "), but got ("
                         << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes()) // (C2)
    return emitOpError() << "expects the region to yield the types of the "
                            "results ("
                         << getResultTypes() << "), but got ("
                         << block.back().getOperandTypes() << ")";
  if (getScope() == Scope::Row) // (C3)
    for (Operation &op : block) {
      auto attention = dyn_cast<AttentionOp>(op);
      if (attention && (!isa<BlockArgument>(viewed(attention.getKey())) ||
                        !isa<BlockArgument>(viewed(attention.getValue()))))
        return op.emitOpError() << "expects keys and values that are arguments "
                                   "of the kernel, or views of them, in a "
                                   "kernel of scope row, but got "
                                   "the results of other operations";
    }
  if (ArrayAttr schedules = getSchedulesAttr())
    for (Attribute schedule : schedules)
      if (!isa<ScheduleAttrInterface>(schedule)) // (C4)
        return emitOpError()
               << "expects schedules, such as #hk.cpu, but got " << schedule;
  return verifySkipRows(*this, getSkipRowsAttr(), getInputs()); // (C5)
}

//===----------------------------------------------------------------------===//
// ExecutableOp and VariantOp
//===----------------------------------------------------------------------===//

static FunctionType variantType(VariantOp variant) {
  Block &block = variant.getBody().front();
  return FunctionType::get(
      variant.getContext(), block.getArgumentTypes(),
      cast<YieldOp>(block.getTerminator()).getValues().getTypes());
}

FunctionType ExecutableOp::getSignature() {
  return variantType(*getBody().getOps<VariantOp>().begin());
}

LogicalResult ExecutableOp::verifyRegions() {
  std::optional<FunctionType> signature;
  for (Operation &op : getBody().front()) {
    auto variant = dyn_cast<VariantOp>(op);
    if (!variant) // (C1)
      return emitOpError() << "expects hk.variant in the region, but got "
                           << op.getName();
    FunctionType type = variantType(variant);
    if (signature && type != *signature) // (C2)
      return variant.emitOpError() << "expects the type of the first variant, "
                                   << *signature << ", but got " << type;
    signature = type;
  }
  if (!signature) // (C1)
    return emitOpError() << "expects at least one hk.variant, but got none";
  return success();
}

LogicalResult VariantOp::verify() {
  if (!isa<YieldOp>(getBody().front().back())) // (C3)
    return emitOpError() << "expects the region to end in hk.yield, but got "
                         << getBody().front().back().getName();
  if (failed(verifyBatchMap(*this, "grid", getGrid()))) // (C2)
    return failure();
  return verifySkipRows(*this, getSkipRowsAttr(), // (C4)
                        getBody().getArguments());
}

//===----------------------------------------------------------------------===//
// PlanOp and DispatchOp
//===----------------------------------------------------------------------===//

LogicalResult PlanOp::verify() {
  if (failed(verifyBatchMap(*this, "workspace", getWorkspace()))) // (C2)
    return failure();
  Block &block = getBody().front();
  for (Operation &op : block)
    if (&op == &block.back() ? !isa<YieldOp>(op) : !isa<DispatchOp>(op)) // (C1)
      return emitOpError() << "expects hk.dispatch, and hk.yield at the end, "
                              "in the region, but got "
                           << op.getName();
  for (auto [index, value] : llvm::enumerate(block.back().getOperands())) {
    auto dispatch = value.getDefiningOp<DispatchOp>();
    ArrayAttr places = dispatch ? dispatch.getPlaces() : ArrayAttr();
    unsigned number = dispatch ? cast<OpResult>(value).getResultNumber() : 0;
    auto expected = ResultAttr::get(getContext(), index);
    if (!dispatch) // (C4)
      return emitOpError() << "expects value " << index
                           << " to come from a dispatch, but got an argument";
    if (number >= places.size() || places[number] != expected) // (C4)
      return emitOpError() << "expects value " << index << " to lie in "
                           << expected << ", but got " << places;
  }
  return success();
}

LogicalResult PlanOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto function = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getFunctionAttr());
  if (!function) // (C3)
    return emitOpError() << "expects " << getFunctionAttr()
                         << " to be a function, but got no such symbol";
  Block &block = getBody().front();
  auto type =
      FunctionType::get(getContext(), block.getArgumentTypes(),
                        SmallVector<Type>(block.back().getOperandTypes()));
  if (function.getFunctionType() != type) // (C3)
    return emitOpError() << "expects the type of " << getFunctionAttr() << ", "
                         << function.getFunctionType() << ", but got " << type;
  return success();
}

LogicalResult DispatchOp::verify() {
  if (IntegerAttr layer = getLayerAttr(); layer && layer.getInt() < 0) // (C3)
    return emitOpError() << "expects a layer that is not negative, but got "
                         << layer.getInt();
  if (getPlaces().size() != getNumResults()) // (C2)
    return emitOpError() << "expects one place for each of " << getNumResults()
                         << " results, but got " << getPlaces().size();
  for (Attribute place : getPlaces())
    if (!isa<WorkspaceAttr, ResultAttr>(place)) // (C2)
      return emitOpError()
             << "expects #hk.workspace or #hk.result as a place, but got "
             << place;
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto executable = symbolTable.lookupNearestSymbolFrom<ExecutableOp>(
      *this, getExecutableAttr());
  if (!executable) // (C1)
    return emitOpError() << "expects " << getExecutableAttr()
                         << " to be a hk.executable, but got no such symbol";
  SmallVector<Type> types(getInputs().getTypes());
  if (getLayer())
    types.push_back(IndexType::get(getContext()));
  auto expected = FunctionType::get(getContext(), types, getResultTypes());
  if (executable.getSignature() != expected) // (C1)
    return emitOpError() << "expects an executable of type " << expected
                         << ", but got " << executable.getSignature();
  return success();
}
