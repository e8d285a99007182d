// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plain data to the bytes of a module file.

#include "ModuleData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include "module_format.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <tuple>

using namespace hk;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

/// Builds the metadata table. The builder wants children before parents.
class MetadataBuilder {
public:
  MetadataBuilder(const ModuleData &data,
                  const std::vector<RemarkRecord> &remarks,
                  llvm::StringRef source)
      : data(data), remarks(remarks), source(source) {}

  /// The metadata of a file whose sections begin at `firstSection`.
  std::string build(uint64_t firstSection);

private:
  template <typename T, typename Range, typename Function>
  auto vector(const Range &range, Function function) {
    std::vector<Offset<T>> offsets;
    for (const auto &element : range)
      offsets.push_back(function(element));
    return builder.CreateVector(offsets);
  }

  Offset<schema::TensorType> add(const TensorData &type);
  Offset<schema::PackInstruction> add(const PackInstructionData &instruction);
  Offset<schema::Packed> add(const PackedData &packed);
  Offset<schema::Variant> add(const VariantData &variant);
  Offset<schema::Executable> add(const ExecutableData &executable);
  Offset<schema::Dispatch> add(const DispatchData &dispatch);
  Offset<schema::Plan> add(const PlanData &plan);
  Offset<schema::Value> add(const ValueData &value);
  Offset<schema::Function> add(const FunctionData &function);
  Offset<schema::Remark> add(const RemarkRecord &remark);

  const ModuleData &data;
  const std::vector<RemarkRecord> &remarks;
  llvm::StringRef source;
  FlatBufferBuilder builder;
};

} // namespace

Offset<schema::TensorType> MetadataBuilder::add(const TensorData &type) {
  return schema::CreateTensorTypeDirect(builder, type.dtype, &type.shape);
}

Offset<schema::PackInstruction>
MetadataBuilder::add(const PackInstructionData &i) {
  return schema::CreatePackInstructionDirect(
      builder, i.opcode, i.operands.empty() ? nullptr : &i.operands, &i.shape,
      i.key.empty() ? nullptr : i.key.c_str(), i.dtype, i.scalar, i.dim);
}

Offset<schema::Packed> MetadataBuilder::add(const PackedData &packed) {
  auto name = builder.CreateString(packed.name);
  auto type = add(packed.type);
  auto program = vector<schema::PackInstruction>(
      packed.program, [&](auto &instruction) { return add(instruction); });
  return schema::CreatePacked(
      builder, name, type, packed.layout, packed.panelWidth, packed.layerBegin,
      packed.layerEnd, packed.stride, program, packed.result, packed.tileRows,
      packed.tileColumns, packed.stripRows, packed.stripColumns);
}

Offset<schema::Variant> MetadataBuilder::add(const VariantData &variant) {
  auto isa = builder.CreateSharedString(variant.isa);
  auto schedule = builder.CreateSharedString(variant.schedule);
  auto packed = builder.CreateVector(variant.packed);
  Offset<flatbuffers::Vector<uint32_t>> ahead;
  if (!variant.packedAhead.empty())
    ahead = builder.CreateVector(variant.packedAhead);
  auto imports = builder.CreateVectorOfStrings(variant.imports);
  schema::GridDim grid(variant.grid.mul, variant.grid.add, variant.grid.div);
  Offset<flatbuffers::String> kernel;
  Offset<flatbuffers::Vector<Offset<schema::Cubin>>> cubins;
  if (variant.target == schema::Target::Cuda) {
    kernel = builder.CreateString(variant.kernel);
    cubins = vector<schema::Cubin>(variant.cubins, [&](const CubinData &cubin) {
      auto sm = builder.CreateSharedString(cubin.sm);
      return schema::CreateCubin(builder, sm, cubin.section);
    });
  }
  Offset<schema::Gemm> gemm;
  if (const std::optional<GemmData> &g = variant.gemm)
    gemm = schema::CreateGemm(builder, g->rows, g->columns, g->depth,
                              g->operands, g->result, g->input, g->output,
                              g->residual, g->weight, g->bias);
  return schema::CreateVariant(
      builder, variant.target, isa, schedule, &grid, variant.scratch,
      variant.section, variant.entry, packed, imports, kernel, variant.threads,
      variant.cluster, variant.shared, cubins, variant.grid.times, gemm, ahead,
      variant.predicted, variant.persistent);
}

Offset<schema::Executable>
MetadataBuilder::add(const ExecutableData &executable) {
  auto name = builder.CreateString(executable.name);
  auto variants = vector<schema::Variant>(
      executable.variants, [&](auto &variant) { return add(variant); });
  return schema::CreateExecutable(builder, name, variants);
}

Offset<schema::Dispatch> MetadataBuilder::add(const DispatchData &dispatch) {
  return schema::CreateDispatchDirect(
      builder, dispatch.executable, dispatch.layer, &dispatch.bindings,
      dispatch.programmatic, dispatch.cost.read, dispatch.cost.written,
      dispatch.cost.flops);
}

Offset<schema::Plan> MetadataBuilder::add(const PlanData &plan) {
  auto name = builder.CreateString(plan.name);
  auto dispatches = vector<schema::Dispatch>(
      plan.dispatches, [&](auto &dispatch) { return add(dispatch); });
  return schema::CreatePlan(builder, name, plan.rank, plan.role,
                            plan.workspacePerSequence, plan.workspaceConstant,
                            dispatches, plan.predicted, plan.predictedBatch);
}

Offset<schema::Value> MetadataBuilder::add(const ValueData &value) {
  auto name = builder.CreateString(value.name);
  return schema::CreateValue(builder, name, add(value.type));
}

Offset<schema::Function> MetadataBuilder::add(const FunctionData &function) {
  auto name = builder.CreateString(function.name);
  auto value = [&](auto &value) { return add(value); };
  auto inputs = vector<schema::Value>(function.inputs, value);
  auto outputs = vector<schema::Value>(function.outputs, value);
  auto plans = vector<schema::Plan>(function.plans,
                                    [&](auto &plan) { return add(plan); });
  return schema::CreateFunction(builder, name, inputs, outputs, plans,
                                function.oracle);
}

static schema::RemarkKind getSchemaKind(mlir::remark::RemarkKind kind) {
  switch (kind) {
  case mlir::remark::RemarkKind::RemarkPassed:
    return schema::RemarkKind::Passed;
  case mlir::remark::RemarkKind::RemarkMissed:
    return schema::RemarkKind::Missed;
  case mlir::remark::RemarkKind::RemarkFailure:
    return schema::RemarkKind::Failure;
  case mlir::remark::RemarkKind::RemarkAnalysis:
  case mlir::remark::RemarkKind::RemarkUnknown:
    return schema::RemarkKind::Analysis;
  }
  llvm_unreachable("a kind of remark");
}

Offset<schema::Remark> MetadataBuilder::add(const RemarkRecord &remark) {
  auto pass = builder.CreateSharedString(remark.pass);
  auto function = builder.CreateSharedString(remark.function);
  auto location = builder.CreateString(remark.location);
  auto message = builder.CreateString(remark.message);
  return schema::CreateRemark(builder, getSchemaKind(remark.kind), pass,
                              function, location, message);
}

std::string MetadataBuilder::build(uint64_t firstSection) {
  builder.Clear();
  auto producer = builder.CreateString("hk " HK_VERSION);
  auto file = builder.CreateString(llvm::sys::path::filename(source).str());
  auto functions = vector<schema::Function>(
      data.functions, [&](auto &function) { return add(function); });
  auto executables = vector<schema::Executable>(
      data.executables, [&](auto &executable) { return add(executable); });
  auto packed = vector<schema::Packed>(
      data.packed, [&](auto &packed) { return add(packed); });
  auto parameters =
      vector<schema::Parameter>(data.parameters, [&](auto &parameter) {
        auto key = builder.CreateString(parameter.first);
        return schema::CreateParameter(builder, key, add(parameter.second));
      });
  uint64_t offset = firstSection;
  auto sections =
      vector<schema::Section>(data.sections, [&](const SectionData &section) {
        uint64_t begin = offset, size = section.bytes.size();
        offset = llvm::alignTo(begin + size, format::kPageSize);
        return schema::CreateSection(builder, section.kind, begin, size,
                                     llvm::xxh3_64bits(section.bytes));
      });
  auto notes = vector<schema::Remark>(
      remarks, [&](const RemarkRecord &remark) { return add(remark); });
  schema::FinishModuleBuffer(
      builder,
      schema::CreateModule(builder, producer, file, functions, executables,
                           packed, parameters, sections, notes));
  return std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()),
                     builder.GetSize());
}

std::string hk::serializeModule(const ModuleData &data,
                                const std::vector<RemarkRecord> &remarks,
                                llvm::StringRef source) {
  MetadataBuilder builder(data, remarks, source);
  // The metadata names the offsets of the sections, which lie behind it; its
  // size does not depend on which (non-zero) offsets they are.
  uint64_t metadataEnd =
      format::kHeaderSize + builder.build(format::kPageSize).size();
  uint64_t firstSection = llvm::alignTo(metadataEnd, format::kPageSize);
  std::string metadata = builder.build(firstSection);

  format::FileHeader header = {};
  std::memcpy(header.magic, format::kMagic, sizeof(header.magic));
  header.versionMajor = format::kVersionMajor;
  header.versionMinor = format::kVersionMinor;
  header.metadataOffset = format::kHeaderSize;
  header.metadataSize = metadata.size();
  header.metadataHash = llvm::xxh3_64bits(metadata);

  std::string file(format::kHeaderSize, '\0');
  file += metadata;
  for (const SectionData &section : data.sections) {
    file.resize(llvm::alignTo(file.size(), format::kPageSize));
    file.append(section.bytes.begin(), section.bytes.end());
  }
  header.fileSize = file.size();
  // The format is little endian, as is every machine that hk compiles on.
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

mlir::FailureOr<std::string>
hk::writeModule(mlir::ModuleOp module, const ModuleCode &code,
                const std::vector<RemarkRecord> &remarks,
                llvm::StringRef source) {
  auto data = collectModule(module, code);
  if (mlir::failed(data))
    return mlir::failure();
  // Functions are compiled side by side, and the file is to be the same bytes.
  std::vector<RemarkRecord> sorted = remarks;
  llvm::sort(sorted, [](const RemarkRecord &a, const RemarkRecord &b) {
    return std::tie(a.function, a.pass, a.location, a.name, a.message, a.kind) <
           std::tie(b.function, b.pass, b.location, b.name, b.message, b.kind);
  });
  return serializeModule(*data, sorted, source);
}
