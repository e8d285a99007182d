// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing programs that FlatBuffers accepts and that make no sense: one case
// for each error of packing_check.cpp.
#include "check_cases.h"

namespace hk {
namespace {

using schema::DType;
using schema::ModuleT;
using schema::PackOpcode;
using test::checkCases;
using test::instruction;
using test::param;

/// Makes "w" a matrix in tiles.
void setTiles(ModuleT &module, uint32_t rows, uint32_t columns) {
  schema::PackedT &packed = *module.packed[0];
  packed.type->shape = {2, 4};
  packed.layout = schema::Layout::Tiles;
  packed.tile_rows = rows;
  packed.tile_columns = columns;
}

TEST(PackingCheck, PackedValues) {
  checkCases({
      {"packed 'w': expects an element type from 1 to 6, but got 0",
       [](ModuleT &m) { m.packed[0]->type->dtype = DType::Invalid; }},
      {"packed 'w': expects a float type, but got i32",
       [](ModuleT &m) { m.packed[0]->type->dtype = DType::I32; }},
      {"packed 'w': expects positive dimensions, but got 0",
       [](ModuleT &m) { m.packed[0]->type->shape[0] = 0; }},
      {"packed 'w': expects a layout up to 2, but got 3",
       [](ModuleT &m) {
         m.packed[0]->layout = static_cast<schema::Layout>(3);
       }},
      {"packed 'w': expects a matrix for panels, but got f32[8]",
       [](ModuleT &m) { m.packed[0]->layout = schema::Layout::Panels; }},
      {"packed 'w': expects panels of a positive width, but got 0",
       [](ModuleT &m) {
         m.packed[0]->layout = schema::Layout::Panels;
         m.packed[0]->type->shape = {2, 4};
       }},
      {"packed 'w': expects a matrix for tiles, but got f32[8]",
       [](ModuleT &m) { m.packed[0]->layout = schema::Layout::Tiles; }},
      {"packed 'w': expects tiles whose sizes are multiples of 8 from 8 to "
       "65536, but got 8 by 0",
       [](ModuleT &m) { setTiles(m, 8, 0); }},
      {"packed 'w': expects tiles whose sizes are multiples of 8 from 8 to "
       "65536, but got 12 by 8",
       [](ModuleT &m) { setTiles(m, 12, 8); }},
      {"packed 'w': expects tiles whose sizes are multiples of 8 from 8 to "
       "65536, but got 8 by 65544",
       [](ModuleT &m) { setTiles(m, 8, 65544); }},
      {"packed 'w': expects strips of 8, 16 or 32 that divide the sizes of "
       "tiles, but got 16 by 8 of 24 by 32",
       [](ModuleT &m) {
         setTiles(m, 24, 32);
         m.packed[0]->strip_rows = 16;
       }},
      {"packed 'w': expects strips of 8, 16 or 32 that divide the sizes of "
       "tiles, but got 8 by 0 of 32 by 32",
       [](ModuleT &m) {
         setTiles(m, 32, 32);
         m.packed[0]->strip_columns = 0;
       }},
      {"packed 'w': expects at most 1099511627776 elements with the padding of "
       "tiles, but got more",
       [](ModuleT &m) {
         setTiles(m, 8, 65536);
         m.packed[0]->type->shape = {int64_t(1) << 37, 4};
       }},
      {"packed 'w': expects a stride of at least 1024 bytes that is a "
       "multiple of 64, but got 64",
       [](ModuleT &m) {
         setTiles(m, 16, 16);
         m.packed[0]->layer_end = 2;
         m.packed[0]->stride = 64;
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
       [](ModuleT &m) {
         m.packed[0]->type->shape = {2, 4};
       }},
  });
}

/// Replaces the program of "w.folded" (instruction 2 is its last).
template <typename... Instructions>
void replace(ModuleT &module, Instructions... instructions) {
  module.packed[2]->program = test::list(std::move(instructions)...);
  module.packed[2]->result = sizeof...(instructions) - 1;
}

TEST(PackingCheck, Programs) {
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

TEST(PackingCheck, Opcodes) {
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
