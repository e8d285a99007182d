// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed values and the packing vocabulary. The labels (C1).. are those of the
// operations' descriptions.

#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hk;

//===----------------------------------------------------------------------===//
// PackedOp
//===----------------------------------------------------------------------===//

Value PackedOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValues().front();
}

void PackedOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (hasLayers())
    printer << " layers(" << static_cast<int64_t>(*getLayerBegin()) << " to "
            << static_cast<int64_t>(*getLayerEnd()) << ')';
  printer << " : " << getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/hasLayers());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getLayerBeginAttrName(),
                            getLayerEndAttrName(), getTypeAttrName()});
}

ParseResult PackedOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("layers"))) {
    IntegerAttr begin, end;
    Type i64 = parser.getBuilder().getI64Type();
    if (parser.parseLParen() ||
        parser.parseAttribute(begin, i64, getLayerBeginAttrName(result.name),
                              result.attributes) ||
        parser.parseKeyword("to") ||
        parser.parseAttribute(end, i64, getLayerEndAttrName(result.name),
                              result.attributes) ||
        parser.parseRParen())
      return failure();
  }
  if (parser.parseColonType(type))
    return failure();
  result.addAttribute(getTypeAttrName(result.name), TypeAttr::get(type));
  if (parser.parseRegion(*result.addRegion()) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return success();
}

LogicalResult PackedOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 1 ||
      type.getRank() > 2 || type.getNumElements() == 0 ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          type.getElementType())) // (C1)
    return emitOpError() << "expects a static, non-empty tensor type of rank 1 "
                            "or 2 of f16, bf16, f32 or f64, but got "
                         << getType();
  if (getLayerBegin().has_value() != getLayerEnd().has_value()) // (C4)
    return emitOpError() << "expects both bounds of layers, but got one";
  if (hasLayers()) {
    int64_t begin = getLayerBeginAttr().getInt();
    int64_t end = getLayerEndAttr().getInt();
    if (begin < 0 || end <= begin) // (C4)
      return emitOpError()
             << "expects bounds of layers with 0 <= a < b, but got " << begin
             << " to " << end;
  }
  Block &block = getBody().front();
  if (hasLayers() ? block.getNumArguments() != 1 ||
                        !block.getArgument(0).getType().isIndex()
                  : block.getNumArguments() != 0) // (C4)
    return emitOpError() << "expects "
                         << (hasLayers() ? "one argument of type index"
                                         : "no argument")
                         << " in the region, but got ("
                         << block.getArgumentTypes() << ")";
  for (Operation &op : block.without_terminator())
    if (!isa<ParamOp, PackedGetOp>(op) &&
        !op.getName().getStringRef().starts_with("hk.pack.")) // (C3)
      return emitOpError() << "expects hk.param, hk.packed.get and hk.pack.* "
                              "in the region, but got "
                           << op.getName();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != 1) // (C2)
    return emitOpError() << "expects the region to yield one value, but got "
                         << block.back().getNumOperands() << " from "
                         << block.back().getName();
  auto yielded = dyn_cast<RankedTensorType>(yield.getValues()[0].getType());
  if (!yielded || yielded.getShape() != type.getShape() ||
      yielded.getEncoding() != type.getEncoding()) // (C2)
    return emitOpError() << "expects the region to yield a value of the shape "
                            "and layout of "
                         << type << ", but got "
                         << yield.getValues()[0].getType();
  return success();
}

LogicalResult
PackedGetOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto packed =
      symbolTable.lookupNearestSymbolFrom<PackedOp>(*this, getSymbolAttr());
  if (!packed || packed.getType() != getResult().getType()) { // (C1)
    InFlightDiagnostic diag = emitOpError()
                              << "expects " << getSymbolAttr()
                              << " to be a hk.packed of type "
                              << getResult().getType() << ", but got ";
    return packed ? diag << packed.getType() : diag << "no such symbol";
  }
  if (packed.hasLayers() != static_cast<bool>(getLayer())) // (C2)
    return emitOpError() << "expects "
                         << (packed.hasLayers() ? "a layer" : "no layer")
                         << " for " << getSymbolAttr() << ", but got "
                         << (getLayer() ? "one" : "none");
  return success();
}

//===----------------------------------------------------------------------===//
// The vocabulary
//===----------------------------------------------------------------------===//

LogicalResult PackScaleOp::verify() {
  if (!getFactor().isFinite()) // (C1)
    return emitOpError() << "expects a finite factor, but got "
                         << getFactor().convertToDouble();
  return success();
}

LogicalResult PackScaleDimOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= input.getRank()) // (C1)
    return emitOpError() << "expects dim to be a dimension of " << input
                         << ", but got " << dim;
  auto expected =
      RankedTensorType::get({input.getDimSize(dim)}, input.getElementType());
  if (getFactors().getType() != expected) // (C2)
    return emitOpError() << "expects factors to be " << expected << ", but got "
                         << getFactors().getType();
  return success();
}

LogicalResult PackMatVecOp::verify() {
  auto matrix = cast<RankedTensorType>(getMatrix().getType());
  if (matrix.getRank() != 2) // (C1)
    return emitOpError() << "expects a matrix, but got " << matrix;
  Type element = matrix.getElementType();
  auto vector = RankedTensorType::get({matrix.getDimSize(1)}, element);
  if (getVector().getType() != vector)
    return emitOpError() << "expects a vector of type " << vector
                         << ", but got " << getVector().getType();
  auto result = RankedTensorType::get({matrix.getDimSize(0)}, element);
  if (getResult().getType() != result)
    return emitOpError() << "expects a result of type " << result
                         << ", but got " << getResult().getType();
  return success();
}

LogicalResult PackConcatOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t dim = getDim();
  if (getInputs().empty())
    return emitOpError() << "expects at least one input, but got none"; // (C1)
  if (dim < 0 || dim >= result.getRank())                               // (C1)
    return emitOpError() << "expects dim to be a dimension of " << result
                         << ", but got " << dim;
  int64_t size = 0;
  for (Type type : getInputs().getTypes()) {
    auto input = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(result.getShape());
    if (input.getRank() == result.getRank())
      shape[dim] = input.getDimSize(dim);
    if (input != RankedTensorType::get(shape, result.getElementType())) // (C2)
      return emitOpError() << "expects inputs like " << result
                           << " but for dimension " << dim << ", but got "
                           << input;
    size += input.getDimSize(dim);
  }
  if (size != result.getDimSize(dim)) // (C2)
    return emitOpError() << "expects a result of size " << size
                         << " along dimension " << dim << ", but got "
                         << result;
  return success();
}

LogicalResult PackLayoutOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (input.getRank() != 2 || input.getEncoding() ||
      input.getShape() != result.getShape() ||
      input.getElementType() != result.getElementType() ||
      !isa_and_present<PanelsAttr, TilesAttr>(result.getEncoding())) // (C1)
    return emitOpError()
           << "expects a matrix and the same matrix with a layout "
              "(#hk.panels or #hk.tiles), but got "
           << input << " and " << result;
  return success();
}
