// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata that FlatBuffers accepts and that makes no sense: one case for each
// error of module_check.cpp and packing_check.cpp.
#include "module.h"

#include "expect_status.h"
#include "module_builder.h"

namespace hk {
namespace {

using schema::DType;
using schema::ModuleT;
using test::affineModule;
using test::Bytes;
using test::input;
using test::ModuleFile;
using test::result;
using test::workspace;

struct Case {
  const char *message;
  void (*change)(ModuleT &module);
};

void checkCases(const std::vector<Case> &cases) {
  for (const Case &bad : cases) {
    ModuleFile file = affineModule();
    file.change = bad.change;
    const Bytes bytes = file.bytes();
    std::shared_ptr<Module> module;
    test::expectError(Module::loadMemory(bytes.data(), bytes.size(), module),
                      HK_MALFORMED, bad.message);
  }
}

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
  });
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

TEST(ModuleCheck, PackedValues) {
  checkCases({
      {"packed 'w': expects an element type from 1 to 6, but got 0",
       [](ModuleT &m) { m.packed[0]->type->dtype = DType::Invalid; }},
      {"packed 'w': expects a float type, but got i32",
       [](ModuleT &m) { m.packed[0]->type->dtype = DType::I32; }},
      {"packed 'w': expects positive dimensions, but got 0",
       [](ModuleT &m) { m.packed[0]->type->shape[0] = 0; }},
      {"packed 'w': expects a layout up to 1, but got 2",
       [](ModuleT &m) {
         m.packed[0]->layout = static_cast<schema::Layout>(2);
       }},
      {"packed 'w': expects a matrix for panels, but got f32[8]",
       [](ModuleT &m) { m.packed[0]->layout = schema::Layout::Panels; }},
      {"packed 'w': expects panels of a positive width, but got 0",
       [](ModuleT &m) {
         m.packed[0]->layout = schema::Layout::Panels;
         m.packed[0]->type->shape = {2, 4};
       }},
      {"packed 'w': expects a range of layers below 65536, but got 3 to 2",
       [](ModuleT &m) { m.packed[0]->layer_begin = 3; }},
      {"packed 'w': expects a range of layers below 65536, but got 0 to "
       "4294967295",
       [](ModuleT &m) { m.packed[0]->layer_end = UINT32_MAX; }},
      {"packed 'w': expects a stride of at least 32 bytes that is a multiple "
       "of 64, but got 63",
       [](ModuleT &m) { m.packed[0]->stride = 63; }},
      {"expects a stride of at least 32 bytes",
       [](ModuleT &m) { m.packed[0]->stride = 0; }},
      {"expects at most 8796093022208 bytes in all layers, but got more",
       [](ModuleT &m) { m.packed[0]->stride = uint64_t(1) << 63; }},
      {"expects at most 8796093022208 bytes in all layers, but got more",
       [](ModuleT &m) { m.packed[0]->stride = uint64_t(1) << 43; }},
      {"packed 'w': expects 1 to 65536 instructions, but got 0",
       [](ModuleT &m) { m.packed[0]->program.clear(); }},
      {"packed 'w': expects a result among 1 instructions, but got 1",
       [](ModuleT &m) { m.packed[0]->result = 1; }},
      {"packed 'w': expects a result of shape [2, 4], but got [8]",
       [](ModuleT &m) { m.packed[0]->type->shape = {2, 4}; }},
  });
}

/// Replaces the program of "w.folded" (instruction 2 is its last).
template <typename... Instructions>
void replace(ModuleT &module, Instructions... instructions) {
  module.packed[2]->program = test::list(std::move(instructions)...);
  module.packed[2]->result = sizeof...(instructions) - 1;
}

using schema::PackOpcode;
using test::instruction;
using test::param;

TEST(ModuleCheck, PackingPrograms) {
  checkCases({
      {"packed 'w.folded': instruction 2: expects operands before instruction "
       "2, but got 2",
       [](ModuleT &m) { m.packed[2]->program[2]->operands[1] = 2; }},
      {"instruction 2: expects operands before instruction 2, but got "
       "4294967295",
       [](ModuleT &m) { m.packed[2]->program[2]->operands[0] = UINT32_MAX; }},
      {"instruction 2: expects an opcode up to 6, but got 7",
       [](ModuleT &m) {
         m.packed[2]->program[2]->opcode = static_cast<PackOpcode>(7);
       }},
      {"instruction 0: expects at most 8 dimensions, but got 9",
       [](ModuleT &m) { m.packed[2]->program[0]->shape.assign(9, 1); }},
      {"instruction 0: expects at most 1099511627776 elements, but got more",
       [](ModuleT &m) {
         m.packed[2]->program[0]->shape = {UINT64_MAX, UINT64_MAX};
       }},
      {"instruction 0: expects positive dimensions, but got 0",
       [](ModuleT &m) { m.packed[2]->program[0]->shape = {0}; }},
      // Param
      {"instruction 0: expects a parameter's key, but got none",
       [](ModuleT &m) { m.packed[2]->program[0]->key.clear(); }},
      {"instruction 0: expects an element type from 1 to 6, but got 0",
       [](ModuleT &m) { m.packed[2]->program[0]->dtype = DType::Invalid; }},
      {"instruction 0: expects a float parameter, but got i32",
       [](ModuleT &m) { m.packed[2]->program[0]->dtype = DType::I32; }},
      {"expects parameter 'layers.2.w' in the module's list, but it is not "
       "there",
       [](ModuleT &m) { m.packed[0]->layer_end = 3; }},
      {"expects parameter 'layers.{}.w' in the module's list",
       [](ModuleT &m) { m.packed[2]->program[0]->key = "layers.{}.w"; }},
      {"expects parameter 'layers.0.w' to be f16[8], but got f32[8]",
       [](ModuleT &m) { m.packed[2]->program[0]->dtype = DType::F16; }},
      {"expects parameter 'layers.0.w' to be f32[9], but got f32[8]",
       [](ModuleT &m) { m.packed[2]->program[0]->shape = {9}; }},
  });
}

TEST(ModuleCheck, PackingOpcodes) {
  checkCases({
      {"instruction 1: expects 0 operands, but got 1",
       [](ModuleT &m) {
         replace(m, param("layers.0.w", DType::F32, {8}),
                 instruction(PackOpcode::Zeros, {0}, {8}));
       }},
      {"instruction 1: expects 0 operands, but got 1",
       [](ModuleT &m) {
         replace(m, param("layers.0.w", DType::F32, {8}),
                 param("layers.0.w", DType::F32, {8}));
         m.packed[2]->program[1]->operands = {0};
       }},
      {"instruction 0: expects 1 operands, but got 0",
       [](ModuleT &m) { replace(m, instruction(PackOpcode::Scale, {}, {8})); }},
      {"instruction 1: expects operand 0 of shape [2, 4], but got [8]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::Scale, {0}, {2, 4}));
       }},
      {"instruction 2: expects a dimension below the rank of 1, but got 1",
       [](ModuleT &m) { m.packed[2]->program[2]->dim = 1; }},
      {"instruction 2: expects operand 1 of shape [8], but got [4]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::Zeros, {}, {4}),
                 instruction(PackOpcode::ScaleDim, {0, 1}, {8}));
       }},
      {"instruction 1: expects 2 operands, but got 1",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::ScaleDim, {0}, {8}));
       }},
      {"instruction 2: expects operand 0 of shape [8], but got [4]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {4}),
                 instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::Add, {0, 1}, {8}));
       }},
      {"instruction 2: expects operand 1 of shape [8], but got [4]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {4}),
                 instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::Add, {1, 0}, {8}));
       }},
      {"instruction 1: expects a matrix as operand 0, but got [8]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::MatVec, {0, 0}, {8}));
       }},
      {"instruction 2: expects operand 1 of shape [4], but got [8]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8, 4}),
                 instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::MatVec, {0, 1}, {8}));
       }},
      {"instruction 2: expects shape [5], but got [8]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {5, 4}),
                 instruction(PackOpcode::Zeros, {}, {4}),
                 instruction(PackOpcode::MatVec, {0, 1}, {8}));
       }},
      {"instruction 0: expects operands, but got none",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Concat, {}, {8}));
       }},
      {"instruction 1: expects a dimension below the rank of 0, but got 0",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {}),
                 instruction(PackOpcode::Concat, {0}, {}));
       }},
      {"instruction 2: expects operand 1 to fit shape [4, 2] but for dimension "
       "0, but got [2, 3]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {2, 2}),
                 instruction(PackOpcode::Zeros, {}, {2, 3}),
                 instruction(PackOpcode::Concat, {0, 1}, {4, 2}));
       }},
      {"instruction 1: expects operand 0 to fit shape [8, 1]",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {8}),
                 instruction(PackOpcode::Concat, {0}, {8, 1}));
       }},
      {"instruction 1: expects dimension 0 of 4, but got 8",
       [](ModuleT &m) {
         replace(m, instruction(PackOpcode::Zeros, {}, {4}),
                 instruction(PackOpcode::Concat, {0}, {8}));
       }},
  });
}

} // namespace
} // namespace hk
