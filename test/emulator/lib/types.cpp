// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.h"

namespace hk::emulator {
namespace {

struct Row {
  Type type;
  const char *name;
  unsigned size;
};

constexpr Row kTypes[] = {
    {Type::None, "none", 0},     {Type::Pred, "pred", 1},
    {Type::B8, "b8", 1},         {Type::B16, "b16", 2},
    {Type::B32, "b32", 4},       {Type::B64, "b64", 8},
    {Type::B128, "b128", 16},    {Type::U8, "u8", 1},
    {Type::U16, "u16", 2},       {Type::U32, "u32", 4},
    {Type::U64, "u64", 8},       {Type::S8, "s8", 1},
    {Type::S16, "s16", 2},       {Type::S32, "s32", 4},
    {Type::S64, "s64", 8},       {Type::F16, "f16", 2},
    {Type::F16x2, "f16x2", 4},   {Type::BF16, "bf16", 2},
    {Type::BF16x2, "bf16x2", 4}, {Type::TF32, "tf32", 4},
    {Type::F32, "f32", 4},       {Type::F64, "f64", 8},
};

} // namespace

std::optional<Type> typeFromName(std::string_view name) {
  for (const Row &row : kTypes)
    if (row.type != Type::None && name == row.name)
      return row.type;
  return std::nullopt;
}

const char *typeName(Type type) {
  return kTypes[static_cast<unsigned>(type)].name;
}

unsigned typeSize(Type type) {
  return kTypes[static_cast<unsigned>(type)].size;
}

bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64;
}

bool isFloat(Type type) { return type >= Type::F16; }

} // namespace hk::emulator
