// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the module that the tests of hk-run run:
//
//   make_module OUT.hkm RIGHT.bin WRONG.bin IDLE.bin ORACLE.bin
//
// Functions on x [B, 3, 4] f32, with y = x + x * norm.weight:
//   twice     (x, valid)  plans right, wrong (x + x + x * g), idle (no output)
//   lonely    (x, len)    plan right; no oracle
//   fixed     (x, valid)  as twice, but B = 6
// and the oracles of twice and fixed.
#include "module_format.h"
#include "module_generated.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace hk::schema;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

static std::string readFile(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

namespace {

class Writer {
public:
  explicit Writer(std::vector<std::string> code) : code(std::move(code)) {}

  std::string write() {
    std::vector<Offset<Packed>> packed = {makePacked("g.f32", DType::F32),
                                          makePacked("g.f64", DType::F64)};
    const char *names[] = {"right", "wrong", "idle", "oracle"};
    std::vector<Offset<Executable>> executables;
    for (uint32_t i = 0; i < code.size(); ++i) {
      std::vector<uint32_t> slots = {i == 3 ? 1u : 0u};
      GridDim grid(1, 0, 1);
      std::vector<Offset<Variant>> variants = {CreateVariantDirect(
          builder, Target::Cpu, "x86-64", "", &grid, 0, i, 0, &slots)};
      executables.push_back(
          CreateExecutableDirect(builder, names[i], &variants));
    }
    std::vector<Offset<Function>> functions = {
        makeFunction("twice", -1, DType::F32, DType::I1, {0, 1, 2}, 3),
        makeFunction("lonely", -1, DType::F32, DType::I32, {0}, -1),
        makeFunction("fixed", 6, DType::F32, DType::I1, {0, 1, 2}, 4),
        makeFunction("twice_oracle", -1, DType::F64, DType::I1, {3}, -1),
        makeFunction("fixed_oracle", 6, DType::F64, DType::I1, {3}, -1)};
    std::vector<Offset<Parameter>> parameters = {CreateParameterDirect(
        builder, "norm.weight", makeType(DType::F32, {4}))};
    // The sections' offsets must be known before the metadata is written: they
    // start at a page that the metadata does not reach.
    uint64_t offset = 16 * hk::format::kPageSize;
    std::vector<Offset<Section>> sections;
    for (const std::string &bytes : code) {
      sections.push_back(
          CreateSection(builder, SectionKind::CpuCode, offset, bytes.size(),
                        XXH3_64bits(bytes.data(), bytes.size())));
      offset += hk::format::kPageSize;
    }
    std::vector<Offset<Remark>> remarks;
    builder.Finish(CreateModuleDirect(builder, "hk test", "twice.mlir",
                                      &functions, &executables, &packed,
                                      &parameters, &sections, &remarks),
                   ModuleIdentifier());
    return layOut();
  }

private:
  Offset<TensorType> makeType(DType type, std::vector<int64_t> shape) {
    return CreateTensorTypeDirect(builder, type, &shape);
  }
  Offset<Packed> makePacked(const char *name, DType type) {
    std::vector<uint64_t> shape = {4};
    std::vector<uint32_t> none;
    std::vector<Offset<PackInstruction>> program = {CreatePackInstructionDirect(
        builder, PackOpcode::Param, &none, &shape, "norm.weight", DType::F32)};
    return CreatePackedDirect(builder, name, makeType(type, {4}), Layout::Dense,
                              0, 0, 0, 64, &program, 0);
  }
  Offset<Function> makeFunction(const char *name, int64_t batch, DType type,
                                DType mask, std::vector<uint32_t> plans,
                                int oracle) {
    const char *names[] = {"right", "wrong", "idle", "oracle"};
    bool isLengths = mask == DType::I32;
    std::vector<int64_t> maskShape = {batch};
    if (!isLengths)
      maskShape.push_back(3);
    std::vector<Offset<Value>> inputs = {
        CreateValueDirect(builder, "x", makeType(type, {batch, 3, 4})),
        CreateValueDirect(builder, isLengths ? "len" : "valid",
                          makeType(mask, maskShape))};
    std::vector<Offset<Value>> outputs = {
        CreateValueDirect(builder, "y", makeType(type, {batch, 3, 4}))};
    std::vector<Offset<Plan>> list;
    for (uint32_t plan : plans) {
      std::vector<Binding> bindings = {Binding(BindingKind::Input, 0, 0, 0),
                                       Binding(BindingKind::Input, 1, 0, 0),
                                       Binding(BindingKind::Result, 0, 0, 0)};
      std::vector<Offset<Dispatch>> dispatches = {
          CreateDispatchDirect(builder, plan, -1, &bindings)};
      // One is predicted, for two sequences.
      bool isPredicted = plan == 0;
      list.push_back(CreatePlanDirect(
          builder, names[plan], plan,
          plan == 3 ? Role::Oracle : Role::Candidate, 0, 0, &dispatches,
          isPredicted ? 250 : 0, isPredicted ? 2 : 0));
    }
    return CreateFunctionDirect(builder, name, &inputs, &outputs, &list,
                                oracle);
  }
  std::string layOut() const {
    hk::format::FileHeader header = {};
    std::memcpy(header.magic, hk::format::kMagic, sizeof header.magic);
    header.versionMajor = hk::format::kVersionMajor;
    header.versionMinor = hk::format::kVersionMinor;
    header.metadataOffset = hk::format::kHeaderSize;
    header.metadataSize = builder.GetSize();
    header.metadataHash =
        XXH3_64bits(builder.GetBufferPointer(), builder.GetSize());
    std::string metadata(
        reinterpret_cast<const char *>(builder.GetBufferPointer()),
        builder.GetSize());
    std::string file(hk::format::kHeaderSize, '\0');
    file += metadata;
    file.resize(16 * hk::format::kPageSize, '\0');
    for (const std::string &bytes : code) {
      file += bytes;
      file.resize((file.size() + hk::format::kPageSize - 1) /
                      hk::format::kPageSize * hk::format::kPageSize,
                  '\0');
    }
    header.fileSize = file.size();
    std::memcpy(&file[0], &header, sizeof header);
    return file;
  }

  std::vector<std::string> code;
  FlatBufferBuilder builder;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "expects OUT and four code files\n");
    return 1;
  }
  std::vector<std::string> code;
  for (int i = 2; i < argc; ++i)
    code.push_back(readFile(argv[i]));
  std::ofstream(argv[1], std::ios::binary) << Writer(code).write();
  return 0;
}
