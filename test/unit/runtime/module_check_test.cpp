// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata that FlatBuffers accepts and that makes no sense: one case for each
// error of module_check.cpp.
#include "check_cases.h"

#include "module_json.h"

namespace hk {
namespace {

using schema::DType;
using schema::ModuleT;
using test::affineModule;
using test::Bytes;
using test::checkCases;
using test::input;
using test::ModuleFile;
using test::result;
using test::workspace;

TEST(ModuleCheck, Sections) {
  checkCases({
      {"section 0: expects a range inside the file at a multiple of 4096",
       [](ModuleT &m) { m.sections[0]->offset += 64; }},
      {"section 0: expects a range inside the file",
       [](ModuleT &m) { m.sections[0]->offset = 0; }},
      {"section 0: expects a range inside the file",
       [](ModuleT &m) { m.sections[0]->size += 1; }},
      {"section 0: expects a range inside the file",
       [](ModuleT &m) { m.sections[0]->size = 0; }},
      {"section 0: expects a range inside the file",
       [](ModuleT &m) { m.sections[0]->size = UINT64_MAX - 4096; }},
      {"section 0: expects a range inside the file",
       [](ModuleT &m) { m.sections[0]->offset = UINT64_MAX & ~4095ull; }},
  });
}

TEST(ModuleCheck, SectionsBesideTheMetadata) {
  ModuleFile file = affineModule();
  // More than a page of metadata, and a section in its middle.
  file.metadata.remarks[0]->message.assign(10000, 'x');
  file.change = [](ModuleT &m) { m.sections[0]->offset = 4096; };
  const Bytes bytes = file.bytes();
  std::shared_ptr<Module> module;
  test::expectError(Module::loadMemory(bytes.data(), bytes.size(), module),
                    HK_MALFORMED,
                    "section 0: expects a range beside the metadata");
}

TEST(ModuleCheck, Parameters) {
  checkCases({
      {"parameter 'layers.0.w': expects one entry a key, but got two",
       [](ModuleT &m) { m.parameters[1]->key = "layers.0.w"; }},
      {"parameter 'layers.0.w': expects an element type from 1 to 6, but got 0",
       [](ModuleT &m) { m.parameters[0]->type->dtype = DType::Invalid; }},
      {"expects an element type from 1 to 6, but got 200",
       [](ModuleT &m) {
         m.parameters[0]->type->dtype = static_cast<DType>(200);
       }},
      {"parameter 'layers.0.w': expects positive dimensions, but got -1",
       [](ModuleT &m) { m.parameters[0]->type->shape[0] = -1; }},
      {"expects at most 1099511627776 elements, but got more",
       [](ModuleT &m) {
         m.parameters[0]->type->shape = {int64_t(1) << 32, int64_t(1) << 32};
       }},
      {"expects at most 8 dimensions, but got 9",
       [](ModuleT &m) { m.parameters[0]->type->shape.assign(9, 1); }},
  });
}

TEST(ModuleCheck, Executables) {
  checkCases({
      {"executable 'affine': expects a variant, but got none",
       [](ModuleT &m) { m.executables[0]->variants.clear(); }},
      {"executable 'affine': expects a grid with a positive divisor, but got 0",
       [](ModuleT &m) {
         *m.executables[0]->variants[0]->grid = schema::GridDim(1, 0, 0);
       }},
      {"expects a grid with a positive divisor, but got none",
       [](ModuleT &m) { m.executables[0]->variants[0]->grid.reset(); }},
      {"expects a grid that is a positive number of times its quotient, but "
       "got 0",
       [](ModuleT &m) { m.executables[0]->variants[0]->grid_times = 0; }},
      {"expects at most 1099511627776 bytes of scratch, but got 2199023255552",
       [](ModuleT &m) {
         m.executables[0]->variants[0]->scratch = uint64_t(1) << 41;
       }},
      {"expects the index of one of 1 sections, but got 1",
       [](ModuleT &m) { m.executables[0]->variants[0]->section = 1; }},
      {"expects a section of CPU code, but got kind 1",
       [](ModuleT &m) { m.sections[0]->kind = schema::SectionKind::Ptx; }},
      {"expects an entry inside its section",
       [](ModuleT &m) {
         m.executables[0]->variants[0]->entry = m.sections[0]->size;
       }},
      {"expects the index of one of 6 packed values, but got 6",
       [](ModuleT &m) { m.executables[0]->variants[0]->packed[1] = 6; }},
      {"expects layers ahead for each of 2 packed slots or for none, but got 1",
       [](ModuleT &m) { m.executables[0]->variants[0]->packed_ahead = {1}; }},
  });
}

/// Adds x * w^T + b to the first kernel, as cuBLASLt would do it.
schema::VariantT &addGemm(ModuleT &m) {
  auto packed = std::make_unique<schema::PackedT>(*m.packed[2]);
  packed->type->shape = {8, 8};
  packed->program.clear();
  packed->program.push_back(
      test::instruction(schema::PackOpcode::Zeros, {}, {8, 8}));
  packed->result = 0;
  m.packed.push_back(std::move(packed));
  auto variant = std::make_unique<schema::VariantT>();
  variant->target = schema::Target::CublasLt;
  variant->isa = "cublaslt";
  variant->grid = std::make_unique<schema::GridDim>(1, 0, 1);
  variant->packed = {static_cast<uint32_t>(m.packed.size() - 1), 2};
  variant->gemm = std::make_unique<schema::GemmT>();
  variant->gemm->rows = 1;
  variant->gemm->columns = variant->gemm->depth = 8;
  variant->gemm->operands = variant->gemm->result = schema::DType::F32;
  variant->gemm->output = 1;
  variant->gemm->bias = 1;
  m.executables[0]->variants.push_back(std::move(variant));
  return *m.executables[0]->variants.back();
}

TEST(ModuleCheck, MatrixProducts) {
  checkCases({
      {"executable 'affine': expects a matrix product for cuBLASLt, but got "
       "none",
       [](ModuleT &m) { addGemm(m).gemm.reset(); }},
      {"expects sizes from 1 to 268435456 of a matrix product, but got 0",
       [](ModuleT &m) { addGemm(m).gemm->rows = 0; }},
      {"expects sizes from 1 to 268435456 of a matrix product, but got "
       "1099511627776",
       [](ModuleT &m) { addGemm(m).gemm->depth = uint64_t(1) << 40; }},
      {"expects f16, bf16 or f32 in a matrix product, but got f64",
       [](ModuleT &m) { addGemm(m).gemm->operands = schema::DType::F64; }},
      {"expects -1, a packed slot and a buffer for bias and residual, but got "
       "1 and -2",
       [](ModuleT &m) { addGemm(m).gemm->residual = -2; }},
      {"expects the index of one of 2 packed slots, but got 2",
       [](ModuleT &m) { addGemm(m).gemm->weight = 2; }},
      {"expects the index of one of 7 packed values, but got 9",
       [](ModuleT &m) { addGemm(m).packed[0] = 9; }},
      {"expects the index of one of 7 packed values, but got 9",
       [](ModuleT &m) { addGemm(m).packed.push_back(9); }},
      {"expects a weight of 64 dense f32, but got 8 f32 of layout Dense",
       [](ModuleT &m) { addGemm(m).gemm->weight = 1; }},
      {"expects a bias of 8 dense f16, but got 8 f32 of layout Dense",
       [](ModuleT &m) { addGemm(m).gemm->result = schema::DType::F16; }},
      {"dispatch 0: expects the index of one of 2 buffers, but got 2",
       [](ModuleT &m) { addGemm(m).gemm->input = 2; }},
      {"dispatch 0: expects the index of one of 2 buffers, but got 3",
       [](ModuleT &m) { addGemm(m).gemm->output = 3; }},
      {"dispatch 0: expects the index of one of 2 buffers, but got 4",
       [](ModuleT &m) { addGemm(m).gemm->residual = 4; }},
  });
}

/// A change to affineCudaModule(), and what the reader says of it.
void expectCudaError(const char *message, void (*change)(ModuleT &module)) {
  ModuleFile file = test::affineCudaModule();
  change(file.metadata);
  const Bytes bytes = file.bytes();
  std::shared_ptr<Module> module;
  test::expectError(Module::loadMemory(bytes.data(), bytes.size(), module),
                    HK_MALFORMED, message);
}

TEST(ModuleCheck, CudaVariants) {
  expectCudaError(
      "executable 'affine': expects a section of PTX, but got kind 0",
      [](ModuleT &m) { m.executables[0]->variants[1]->section = 0; });
  expectCudaError(
      "executable 'affine': expects the index of one of 2 sections, but got 2",
      [](ModuleT &m) { m.executables[0]->variants[1]->section = 2; });
  expectCudaError(
      "expects the name of a kernel in the PTX, but got none",
      [](ModuleT &m) { m.executables[0]->variants[1]->kernel = ""; });
  expectCudaError("expects 1 to 1024 threads, but got 0", [](ModuleT &m) {
    m.executables[0]->variants[1]->threads = 0;
  });
  expectCudaError("expects 1 to 1024 threads, but got 1025", [](ModuleT &m) {
    m.executables[0]->variants[1]->threads = 1025;
  });
  expectCudaError(
      "expects clusters of 1 to 16 CTAs, but got 0",
      [](ModuleT &m) { m.executables[0]->variants[1]->cluster = 0; });
  expectCudaError(
      "expects clusters of 1 to 16 CTAs, but got 17",
      [](ModuleT &m) { m.executables[0]->variants[1]->cluster = 17; });
  expectCudaError(
      "expects sm_90 or newer for clusters, but got sm_80",
      [](ModuleT &m) { m.executables[0]->variants[1]->cluster = 2; });
  expectCudaError(
      "expects at most 1048576 bytes of shared memory, but got 1048577",
      [](ModuleT &m) { m.executables[0]->variants[1]->shared = 1048577; });
  expectCudaError(
      "expects at most 32 persistent CTAs a multiprocessor, but got 33",
      [](ModuleT &m) { m.executables[0]->variants[1]->persistent = 33; });
  expectCudaError(
      "expects no scratch for CUDA, but got 8 bytes",
      [](ModuleT &m) { m.executables[0]->variants[1]->scratch = 8; });
  expectCudaError(
      "cubin 0: expects a section of a cubin, but got kind 1", [](ModuleT &m) {
        auto cubin = std::make_unique<schema::CubinT>();
        cubin->sm = "sm_90";
        cubin->section = 1;
        m.executables[0]->variants[1]->cubins.push_back(std::move(cubin));
      });
  expectCudaError("dispatch 0: expects at most 512 parameters of a CUDA "
                  "kernel, but got 513",
                  [](ModuleT &m) {
                    m.functions[0]->plans[0]->dispatches[0]->bindings.resize(
                        510,
                        schema::Binding(schema::BindingKind::Input, 0, 0, 0));
                  });
}

TEST(ModuleCheck, CudaVariantsAreRead) {
  const Bytes bytes = test::affineCudaModule().bytes();
  std::shared_ptr<Module> module;
  test::expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
  const std::string json = moduleToJson(module->metadata());
  for (const char *text :
       {"\"target\": \"Cuda\"", "\"isa\": \"sm_80\"", "\"kernel\": \"affine\"",
        "\"threads\": 128", "\"cluster\": 1", "\"shared\": 0", "\"cubins\": []",
        "\"programmatic\": false", "\"kind\": \"Ptx\""})
    EXPECT_NE(json.find(text), std::string::npos) << text;
}

TEST(ModuleCheck, TargetsOfTheFutureAreNoError) {
  ModuleFile file = affineModule();
  auto variant = test::variant("next", UINT64_MAX, {0, 1});
  variant->target = static_cast<schema::Target>(9);
  file.metadata.executables[0]->variants.push_back(std::move(variant));
  const Bytes bytes = file.bytes();
  std::shared_ptr<Module> module;
  test::expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
}

TEST(ModuleCheck, Functions) {
  checkCases({
      {"expects a function, but got none",
       [](ModuleT &m) { m.functions.clear(); }},
      {"function 'forward': expects one function a name, but got two",
       [](ModuleT &m) { m.functions[1]->name = "forward"; }},
      {"function 'forward': expects an output, but got none",
       [](ModuleT &m) { m.functions[0]->outputs.clear(); }},
      {"function 'forward': expects a plan, but got none",
       [](ModuleT &m) { m.functions[0]->plans.clear(); }},
      {"function 'forward': expects an oracle of -1 or a function, but got -2",
       [](ModuleT &m) { m.functions[0]->oracle = -2; }},
      {"expects the index of one of 2 oracles, but got 2",
       [](ModuleT &m) { m.functions[0]->oracle = 2; }},
      {"expects an oracle of as many inputs and outputs, but got function "
       "'forward.oracle'",
       [](ModuleT &m) {
         m.functions[1]->inputs.push_back(
             test::value("z", DType::F64, {-1, 8}));
       }},
      {"value 'x': expects an element type from 1 to 6, but got 0",
       [](ModuleT &m) {
         m.functions[0]->inputs[0]->type->dtype = DType::Invalid;
       }},
      {"value 'x': expects 1 to 8 dimensions, but got 0",
       [](ModuleT &m) { m.functions[0]->inputs[0]->type->shape.clear(); }},
      {"value 'y': expects positive dimensions after the batch, but got -1",
       [](ModuleT &m) { m.functions[0]->outputs[0]->type->shape[1] = -1; }},
      {"value 'y': expects positive dimensions after the batch, but got -2",
       [](ModuleT &m) { m.functions[0]->outputs[0]->type->shape[0] = -2; }},
      {"value 'x': expects at most 1099511627776 elements, but got more",
       [](ModuleT &m) {
         m.functions[0]->inputs[0]->type->shape[1] = INT64_MAX;
       }},
      {"function 'forward': expects one batch, but got -1 and 4",
       [](ModuleT &m) { m.functions[0]->outputs[0]->type->shape[0] = 4; }},
      {"expects a remark kind up to 3, but got 4",
       [](ModuleT &m) {
         m.remarks[0]->kind = static_cast<schema::RemarkKind>(4);
       }},
  });
}

TEST(ModuleCheck, Plans) {
  checkCases({
      {"plan 'layers': expects one plan a name, but got two",
       [](ModuleT &m) { m.functions[0]->plans[1]->name = "layers"; }},
      {"plan 'layers': expects a role up to 3, but got 4",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->role = static_cast<schema::Role>(4);
       }},
      {"plan 'folded': expects a dispatch that writes output 0, but got none",
       [](ModuleT &m) { m.functions[0]->plans[1]->dispatches.clear(); }},
      {"dispatch 0: expects the index of one of 3 executables, but got 3",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->executable = 3;
       }},
      {"dispatch 0: expects a layer of -1 or more, but got -2",
       [](ModuleT &m) { m.functions[0]->plans[0]->dispatches[0]->layer = -2; }},
      {"dispatch 1: expects a layer from 0 to 1 of packed 'w', but got 2",
       [](ModuleT &m) { m.functions[0]->plans[0]->dispatches[1]->layer = 2; }},
      {"dispatch 1: expects a layer from 0 to 1 of packed 'w', but got -1",
       [](ModuleT &m) { m.functions[0]->plans[0]->dispatches[1]->layer = -1; }},
      {"dispatch 1: expects a layer from 0 to 1 of packed 'w', but got 2",
       [](ModuleT &m) {
         m.executables[0]->variants[0]->packed_ahead = {1, 0};
       }},
      {"dispatch 0: expects a layer from 0 to 1 of packed 'b', but got "
       "4294967295",
       [](ModuleT &m) {
         m.executables[0]->variants[0]->packed_ahead = {0, UINT32_MAX};
       }},
      {"dispatch 0: expects bindings, but got none",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings.clear();
       }},
      {"dispatch 0: expects the index of one of 1 inputs, but got 1",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[0] = input(1);
       }},
      {"dispatch 1: expects the index of one of 1 outputs, but got 7",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[1]->bindings[1] = result(7);
       }},
      {"dispatch 0: expects a binding kind up to 2, but got 3",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[0] =
             schema::Binding(static_cast<schema::BindingKind>(3), 0, 0, 0);
       }},
      {"expects workspace offsets that are multiples of 64, but got 32 and 0",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[1] = workspace(32);
       }},
      {"expects workspace offsets that are multiples of 64, but got 0 and 1",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[1] = workspace(0, 1);
       }},
      {"expects a buffer inside the workspace of 64 bytes a sequence and 0 "
       "more, but got offsets 64 and 0",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[1] = workspace(64);
       }},
      {"expects a buffer inside the workspace",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->dispatches[0]->bindings[1] =
             workspace(0, 64);
       }},
      {"expects a buffer inside the workspace",
       [](ModuleT &m) {
         m.functions[0]->plans[0]->workspace_per_sequence = 0;
       }},
  });
}

/// Moves a vector of a table by 4 bytes: to its first element, which becomes
/// its length, with elements off their alignment.
template <typename Table>
void misalign(const Table &table, flatbuffers::voffset_t field) {
  const auto &base = reinterpret_cast<const flatbuffers::Table &>(table);
  auto *offset = reinterpret_cast<flatbuffers::uoffset_t *>(
      const_cast<uint8_t *>(base.GetAddressOf(field)));
  *offset += 4;
}

void expectMisaligned(void (*change)(const schema::Module &module),
                      const char *subject) {
  ModuleFile file = affineModule();
  for (auto &function : file.metadata.functions)
    for (auto *values : {&function->inputs, &function->outputs})
      (*values)[0]->type->shape[0] = 2;
  Bytes bytes = file.bytes();
  change(*schema::GetModule(bytes.data() + format::kHeaderSize));
  test::fixMetadataHash(bytes);
  std::shared_ptr<Module> module;
  test::expectError(
      Module::loadMemory(bytes.data(), bytes.size(), module), HK_MALFORMED,
      concat(subject, ": expects a vector aligned to 8 bytes, but got one"));
}

TEST(ModuleCheck, VectorsAreAligned) {
  expectMisaligned(
      [](const schema::Module &m) {
        misalign(*m.parameters()->Get(0)->type(), schema::TensorType::VT_SHAPE);
      },
      "parameter 'layers.0.w'");
  expectMisaligned(
      [](const schema::Module &m) {
        misalign(*m.packed()->Get(0)->program()->Get(0),
                 schema::PackInstruction::VT_SHAPE);
      },
      "packed 'w': instruction 0");
  expectMisaligned(
      [](const schema::Module &m) {
        misalign(*m.functions()->Get(0)->inputs()->Get(0)->type(),
                 schema::TensorType::VT_SHAPE);
      },
      "function 'forward': value 'x'");
  // The kind of its first binding, Workspace, becomes the number of bindings.
  expectMisaligned(
      [](const schema::Module &m) {
        misalign(*m.functions()->Get(0)->plans()->Get(0)->dispatches()->Get(1),
                 schema::Dispatch::VT_BINDINGS);
      },
      "dispatch 1");
}

} // namespace
} // namespace hk
