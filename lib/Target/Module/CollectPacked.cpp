// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the region of a packed value to the program that the runtime interprets.

#include "ModuleData.h"
#include "hk/Dialect/HK/HKDialect.h"

#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

#include "module_format.h"

using namespace mlir;
using namespace hk;

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(PackedOp packed, SymbolTable &symbols,
                 std::map<std::string, TensorData> &parameters)
      : packed(packed), symbols(symbols), parameters(parameters) {}

  FailureOr<PackedData> build();

private:
  FailureOr<uint32_t> addRegion(PackedOp from);
  FailureOr<uint32_t> addOp(Operation &op);
  FailureOr<uint32_t> addParam(ParamOp param);
  FailureOr<uint32_t> addGet(PackedGetOp get);
  LogicalResult addParameter(ParamOp param, std::string key);
  uint32_t append(Operation &op, PackInstructionData instruction);

  PackedOp packed;
  SymbolTable &symbols;
  std::map<std::string, TensorData> &parameters;
  PackedData data;
  DenseMap<Value, uint32_t> indices;
  /// The packed values being written out, outermost first.
  llvm::SmallSetVector<Operation *, 4> open;
};

} // namespace

FailureOr<PackedData> ProgramBuilder::build() {
  RankedTensorType type = packed.getTensorType();
  data.name = packed.getSymName().str();
  data.type = getTensorData(type);
  uint64_t elements = type.getNumElements();
  if (auto panels = dyn_cast_or_null<PanelsAttr>(type.getEncoding())) {
    data.layout = schema::Layout::Panels;
    data.panelWidth = panels.getWidth();
  } else if (auto tiles = dyn_cast_or_null<TilesAttr>(type.getEncoding())) {
    data.layout = schema::Layout::Tiles;
    data.tileRows = tiles.getRows();
    data.tileColumns = tiles.getColumns();
    data.stripRows = tiles.getStripRows();
    data.stripColumns = tiles.getStripColumns();
    elements = llvm::alignTo(type.getDimSize(0), tiles.getRows()) *
               llvm::alignTo(type.getDimSize(1), tiles.getColumns());
  } else if (type.getEncoding()) {
    return packed.emitOpError() << "expects the layout #hk.panels, #hk.tiles "
                                   "or none, but got "
                                << type.getEncoding();
  }
  if (packed.hasLayers()) {
    data.layerBegin = *packed.getLayerBegin();
    data.layerEnd = *packed.getLayerEnd();
  }
  data.stride = llvm::alignTo(elements * type.getElementTypeBitWidth() / 8,
                              format::kBufferAlignment);
  auto result = addRegion(packed);
  if (failed(result))
    return failure();
  data.result = *result;
  return std::move(data);
}

FailureOr<uint32_t> ProgramBuilder::addRegion(PackedOp from) {
  if (!open.insert(from))
    return from.emitOpError() << "expects a value that does not depend on "
                                 "itself, but @"
                              << packed.getSymName() << " reads it in a circle";
  for (Operation &op : from.getBody().front().without_terminator()) {
    auto index = addOp(op);
    if (failed(index))
      return failure();
    indices[op.getResult(0)] = *index;
  }
  open.remove(from);
  return indices.lookup(from.getYielded());
}

uint32_t ProgramBuilder::append(Operation &op,
                                PackInstructionData instruction) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  instruction.shape.assign(type.getShape().begin(), type.getShape().end());
  for (Value operand : op.getOperands())
    if (!isa<IndexType>(operand.getType()))
      instruction.operands.push_back(indices.lookup(operand));
  data.program.push_back(std::move(instruction));
  return data.program.size() - 1;
}

FailureOr<uint32_t> ProgramBuilder::addOp(Operation &op) {
  PackInstructionData instruction;
  return TypeSwitch<Operation *, FailureOr<uint32_t>>(&op)
      .Case([&](ParamOp param) { return addParam(param); })
      .Case([&](PackedGetOp get) { return addGet(get); })
      .Case([&](PackZerosOp) {
        instruction.opcode = schema::PackOpcode::Zeros;
        return append(op, instruction);
      })
      .Case([&](PackScaleOp scale) {
        instruction.opcode = schema::PackOpcode::Scale;
        instruction.scalar = scale.getFactor().convertToDouble();
        return append(op, instruction);
      })
      .Case([&](PackScaleDimOp scale) {
        instruction.opcode = schema::PackOpcode::ScaleDim;
        instruction.dim = scale.getDim();
        return append(op, instruction);
      })
      .Case([&](PackMatVecOp) {
        instruction.opcode = schema::PackOpcode::MatVec;
        return append(op, instruction);
      })
      .Case([&](PackAddOp) {
        instruction.opcode = schema::PackOpcode::Add;
        return append(op, instruction);
      })
      .Case([&](PackConcatOp concat) {
        instruction.opcode = schema::PackOpcode::Concat;
        instruction.dim = concat.getDim();
        return append(op, instruction);
      })
      // A layout is how the value lies in the end; the numbers are the same.
      .Case([&](PackLayoutOp layout) -> FailureOr<uint32_t> {
        if (layout->getParentOp() != packed ||
            packed.getYielded() != layout.getResult())
          return layout.emitOpError()
                 << "expects to be the last step of a packed value that no "
                    "other packed value reads";
        return indices.lookup(layout.getInput());
      })
      .DefaultUnreachable("hk.packed holds hk.param, hk.packed.get and "
                          "hk.pack.* only");
}

FailureOr<uint32_t> ProgramBuilder::addGet(PackedGetOp get) {
  auto other = symbols.lookup<PackedOp>(get.getSymbol());
  if (other.hasLayers() && (*other.getLayerBegin() > data.layerBegin ||
                            *other.getLayerEnd() < data.layerEnd))
    return get.emitOpError()
           << "expects " << get.getSymbolAttr() << " to have the layers "
           << data.layerBegin << " to " << data.layerEnd << ", but it has "
           << *other.getLayerBegin() << " to " << *other.getLayerEnd();
  return addRegion(other);
}

FailureOr<uint32_t> ProgramBuilder::addParam(ParamOp param) {
  PackInstructionData instruction;
  instruction.opcode = schema::PackOpcode::Param;
  instruction.key = param.getKey().str();
  Type stored = param.getFrom().value_or(
      cast<RankedTensorType>(param.getType()).getElementType());
  instruction.dtype = getDType(stored);
  if (!param.getLayer()) {
    if (failed(addParameter(param, instruction.key)))
      return failure();
    return append(*param, instruction);
  }
  auto [head, tail] = param.getKey().split("{}");
  for (uint32_t layer = data.layerBegin; layer < data.layerEnd; ++layer)
    if (failed(addParameter(param, (head + Twine(layer) + tail).str())))
      return failure();
  return append(*param, instruction);
}

LogicalResult ProgramBuilder::addParameter(ParamOp param, std::string key) {
  auto type = cast<RankedTensorType>(param.getType());
  TensorData stored = getTensorData(RankedTensorType::get(
      type.getShape(), param.getFrom().value_or(type.getElementType())));
  assert(stored.dtype != schema::DType::Invalid &&
         "hk.param is verified to have a type that a module file has");
  auto [entry, added] = parameters.try_emplace(std::move(key), stored);
  const TensorData &known = entry->second;
  if (!added && (known.dtype != stored.dtype || known.shape != stored.shape))
    return param.emitOpError()
           << "expects one type for each key, but got two for \""
           << entry->first << "\"";
  return success();
}

FailureOr<PackedData>
hk::collectPacked(PackedOp packed, SymbolTable &symbols,
                  std::map<std::string, TensorData> &parameters) {
  return ProgramBuilder(packed, symbols, parameters).build();
}
