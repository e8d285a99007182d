// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module_builder.h"

#include "hash.h"
#include "test_paths.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace hk {
namespace test {

using schema::DType;
using schema::PackOpcode;

Bytes kernelCode(const std::string &name) {
  std::ifstream in(std::string(HK_TEST_KERNEL_DIR "/") + name + ".bin",
                   std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in),
               std::istreambuf_iterator<char>());
}

uint64_t addCode(ModuleFile &file, const Bytes &code) {
  if (file.sections.empty())
    file.sections.emplace_back();
  Bytes &section = file.sections[0];
  section.resize((section.size() + 63) / 64 * 64, 0xcc);
  const uint64_t offset = section.size();
  section.insert(section.end(), code.begin(), code.end());
  return offset;
}

Bytes ModuleFile::bytes() const {
  schema::ModuleT module(metadata);
  auto serialize = [&module] {
    flatbuffers::FlatBufferBuilder builder;
    schema::FinishModuleBuffer(builder, schema::Module::Pack(builder, &module));
    return Bytes(builder.GetBufferPointer(),
                 builder.GetBufferPointer() + builder.GetSize());
  };
  module.sections.clear();
  for (const Bytes &section : sections) {
    auto entry = std::make_unique<schema::SectionT>();
    entry->offset = format::kPageSize;
    entry->size = section.size();
    entry->hash = hashBytes(section.data(), section.size());
    if (module.sections.size() < kinds.size())
      entry->kind = kinds[module.sections.size()];
    module.sections.push_back(std::move(entry));
  }
  // A page of room for what `change` may add.
  auto pages = [](uint64_t size) {
    return (size + format::kPageSize - 1) / format::kPageSize *
           format::kPageSize;
  };
  uint64_t end =
      pages(format::kHeaderSize + serialize().size()) + format::kPageSize;
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < sections.size(); ++i) {
    offsets.push_back(end);
    module.sections[i]->offset = end;
    end = pages(end + sections[i].size());
  }
  if (change)
    change(module);
  const Bytes content = serialize();

  format::FileHeader header = {};
  std::memcpy(header.magic, format::kMagic, sizeof(header.magic));
  header.versionMajor = format::kVersionMajor;
  header.versionMinor = format::kVersionMinor;
  header.metadataOffset = format::kHeaderSize;
  header.metadataSize = content.size();
  header.metadataHash = hashBytes(content.data(), content.size());
  header.fileSize =
      std::max<uint64_t>(end, format::kHeaderSize + content.size());
  if (!sections.empty())
    header.fileSize = offsets.back() + sections.back().size();
  Bytes file(header.fileSize);
  if (changeHeader)
    changeHeader(header);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + format::kHeaderSize, content.data(),
              content.size());
  for (size_t i = 0; i < sections.size(); ++i)
    std::memcpy(file.data() + offsets[i], sections[i].data(),
                sections[i].size());
  return file;
}

void fixMetadataHash(Bytes &bytes) {
  format::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.metadataHash =
      hashBytes(bytes.data() + header.metadataOffset, header.metadataSize);
  std::memcpy(bytes.data(), &header, sizeof(header));
}

std::unique_ptr<schema::TensorTypeT> type(DType dtype,
                                          std::vector<int64_t> shape) {
  auto out = std::make_unique<schema::TensorTypeT>();
  out->dtype = dtype;
  out->shape = std::move(shape);
  return out;
}

std::unique_ptr<schema::ValueT> value(const std::string &name, DType dtype,
                                      std::vector<int64_t> shape) {
  auto out = std::make_unique<schema::ValueT>();
  out->name = name;
  out->type = type(dtype, std::move(shape));
  return out;
}

std::unique_ptr<schema::VariantT>
variant(const std::string &isa, uint64_t entry, std::vector<uint32_t> packed) {
  auto out = std::make_unique<schema::VariantT>();
  out->isa = isa;
  out->schedule = "#hk.cpu<\"" + isa + "\">";
  out->grid = std::make_unique<schema::GridDim>(1, 0, 1);
  out->scratch = 32;
  out->entry = entry;
  out->packed = std::move(packed);
  return out;
}

std::unique_ptr<schema::ExecutableT>
executable(const std::string &name, std::unique_ptr<schema::VariantT> variant) {
  auto out = std::make_unique<schema::ExecutableT>();
  out->name = name;
  out->variants.push_back(std::move(variant));
  return out;
}

std::unique_ptr<schema::DispatchT>
dispatch(uint32_t executable, int32_t layer,
         std::vector<schema::Binding> bindings) {
  auto out = std::make_unique<schema::DispatchT>();
  out->executable = executable;
  out->layer = layer;
  out->bindings = std::move(bindings);
  return out;
}

std::unique_ptr<schema::PlanT>
plan(const std::string &name, uint32_t rank, schema::Role role,
     std::vector<std::unique_ptr<schema::DispatchT>> dispatches) {
  auto out = std::make_unique<schema::PlanT>();
  out->name = name;
  out->rank = rank;
  out->role = role;
  out->dispatches = std::move(dispatches);
  return out;
}

std::unique_ptr<schema::PackInstructionT>
instruction(PackOpcode opcode, std::vector<uint32_t> operands,
            std::vector<uint64_t> shape) {
  auto out = std::make_unique<schema::PackInstructionT>();
  out->opcode = opcode;
  out->operands = std::move(operands);
  out->shape = std::move(shape);
  return out;
}

std::unique_ptr<schema::PackInstructionT>
param(const std::string &key, DType dtype, std::vector<uint64_t> shape) {
  auto out = instruction(PackOpcode::Param, {}, std::move(shape));
  out->key = key;
  out->dtype = dtype;
  return out;
}

schema::Binding input(uint32_t index) {
  return schema::Binding(schema::BindingKind::Input, index, 0, 0);
}

schema::Binding result(uint32_t index) {
  return schema::Binding(schema::BindingKind::Result, index, 0, 0);
}

schema::Binding workspace(uint64_t perSequence, uint64_t constant) {
  return schema::Binding(schema::BindingKind::Workspace, 0, perSequence,
                         constant);
}

namespace {

/// A vector of both layers, as it is in the checkpoint.
std::unique_ptr<schema::PackedT> stacked(const std::string &name, DType dtype) {
  auto out = std::make_unique<schema::PackedT>();
  out->name = name;
  out->type = type(dtype, {8});
  out->layer_end = 2;
  out->stride = 64;
  out->program = list(param("layers.{}." + name.substr(0, 1), DType::F32, {8}));
  return out;
}

std::unique_ptr<schema::FunctionT> affineFunction(const std::string &name,
                                                  DType dtype) {
  auto out = std::make_unique<schema::FunctionT>();
  out->name = name;
  out->inputs = list(value("x", dtype, {-1, 8}));
  out->outputs = list(value("y", dtype, {-1, 8}));
  return out;
}

} // namespace

ModuleFile affineModule() {
  ModuleFile file;
  schema::ModuleT &module = file.metadata;
  module.producer = "hk test";
  module.source = "affine.mlir";
  for (const char *key :
       {"layers.0.w", "layers.0.b", "layers.1.w", "layers.1.b"}) {
    auto parameter = std::make_unique<schema::ParameterT>();
    parameter->key = key;
    parameter->type = type(DType::F32, {8});
    module.parameters.push_back(std::move(parameter));
  }

  auto foldedW = std::make_unique<schema::PackedT>();
  foldedW->name = "w.folded";
  foldedW->type = type(DType::F32, {8});
  foldedW->program = list(param("layers.0.w", DType::F32, {8}),
                          param("layers.1.w", DType::F32, {8}),
                          instruction(PackOpcode::ScaleDim, {0, 1}, {8}));
  foldedW->result = 2;
  auto foldedB = std::make_unique<schema::PackedT>();
  foldedB->name = "b.folded";
  foldedB->type = type(DType::F32, {8});
  foldedB->program = list(param("layers.0.b", DType::F32, {8}),
                          param("layers.1.w", DType::F32, {8}),
                          param("layers.1.b", DType::F32, {8}),
                          instruction(PackOpcode::ScaleDim, {0, 1}, {8}),
                          instruction(PackOpcode::Add, {3, 2}, {8}));
  foldedB->result = 4;
  module.packed =
      list(stacked("w", DType::F32), stacked("b", DType::F32),
           std::move(foldedW), std::move(foldedB), stacked("w.f64", DType::F64),
           stacked("b.f64", DType::F64));

  const uint64_t affine = addCode(file, kernelCode("affine"));
  const uint64_t oracle = addCode(file, kernelCode("affine_f64"));
  module.executables =
      list(executable("affine", variant("x86-64", affine, {0, 1})),
           executable("affine.folded", variant("x86-64", affine, {2, 3})),
           executable("affine.oracle", variant("x86-64", oracle, {4, 5})));

  auto forward = affineFunction("forward", DType::F32);
  forward->oracle = 1;
  forward->plans = list(plan("layers", 0, schema::Role::Candidate,
                             list(dispatch(0, 0, {input(0), workspace(0)}),
                                  dispatch(0, 1, {workspace(0), result(0)}))),
                        plan("folded", 1, schema::Role::Safe,
                             list(dispatch(1, -1, {input(0), result(0)}))));
  forward->plans[0]->workspace_per_sequence = 64;
  auto reference = affineFunction("forward.oracle", DType::F64);
  reference->plans =
      list(plan("oracle", 0, schema::Role::Oracle,
                list(dispatch(2, 0, {input(0), workspace(0)}),
                     dispatch(2, 1, {workspace(0), result(0)}))));
  reference->plans[0]->workspace_per_sequence = 64;
  module.functions = list(std::move(forward), std::move(reference));

  auto remark = std::make_unique<schema::RemarkT>();
  remark->kind = schema::RemarkKind::Passed;
  remark->pass = "hk-fold";
  remark->function = "forward";
  remark->location = "affine.mlir:3:8";
  remark->message = "folded two layers into one";
  module.remarks = list(std::move(remark));
  return file;
}

ModuleFile tripleModule(const std::vector<std::string> &isas) {
  ModuleFile file;
  schema::ModuleT &module = file.metadata;
  module.producer = "hk test";
  const uint64_t entry = addCode(file, kernelCode("triple"));
  module.executables = list(executable("triple", variant(isas[0], entry)));
  for (size_t i = 1; i < isas.size(); ++i)
    module.executables[0]->variants.push_back(variant(isas[i], entry));
  auto function = affineFunction("forward", DType::F32);
  function->plans = list(plan("triple", 0, schema::Role::Candidate,
                              list(dispatch(0, -1, {input(0), result(0)}))));
  module.functions = list(std::move(function));
  return file;
}

Bytes ptxText(const std::string &version, const std::string &target) {
  std::string text =
      ".version " + version + "\n.target " + target + "\n.address_size 64\n";
  std::ifstream in(HK_TEST_PTX, std::ios::binary);
  text.append(std::istreambuf_iterator<char>(in), {});
  return Bytes(text.begin(), text.end());
}

uint32_t addSection(ModuleFile &file, schema::SectionKind kind, Bytes bytes) {
  const size_t index = file.sections.size();
  file.sections.push_back(std::move(bytes));
  file.kinds.resize(index);
  file.kinds.push_back(kind);
  return static_cast<uint32_t>(index);
}

std::unique_ptr<schema::VariantT> cudaVariant(const std::string &isa,
                                              const std::string &kernel,
                                              uint32_t section,
                                              std::vector<uint32_t> packed) {
  auto out = std::make_unique<schema::VariantT>();
  out->target = schema::Target::Cuda;
  out->isa = isa;
  out->schedule = "#hk.cuda<\"" + isa + "\">";
  out->grid = std::make_unique<schema::GridDim>(1, 0, 1);
  out->section = section;
  out->packed = std::move(packed);
  out->kernel = kernel;
  out->threads = 128;
  return out;
}

ModuleFile affineCudaModule() {
  ModuleFile file = affineModule();
  const uint32_t section =
      addSection(file, schema::SectionKind::Ptx, ptxText("8.0", "sm_80"));
  auto &executables = file.metadata.executables;
  executables[0]->variants.push_back(
      cudaVariant("sm_80", "affine", section, {0, 1}));
  executables[1]->variants.push_back(
      cudaVariant("sm_80", "affine", section, {2, 3}));
  return file;
}

ModuleFile tripleCudaModule(const std::vector<std::string> &isas) {
  ModuleFile file = tripleModule({"x86-64"});
  auto &variants = file.metadata.executables[0]->variants;
  variants.clear();
  for (const std::string &isa : isas)
    variants.push_back(cudaVariant(
        isa, "triple",
        addSection(file, schema::SectionKind::Ptx, ptxText("8.0", isa))));
  return file;
}

void writeFile(const std::string &path, const Bytes &bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

TemporaryFile::TemporaryFile(const Bytes &bytes) {
  const char *folder = std::getenv("TMPDIR");
  path_ = std::string(folder && *folder ? folder : "/tmp") + "/hk-test-XXXXXX";
  const int descriptor = mkstemp(path_.data());
  if (descriptor < 0)
    std::abort();
  close(descriptor);
  writeFile(path_, bytes);
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

} // namespace test
} // namespace hk
