// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX types that instructions and variables carry.
#ifndef HK_EMULATOR_TYPES_H
#define HK_EMULATOR_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace hk::emulator {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
};

/// "f16x2" to Type::F16x2; nothing for words that are no type.
std::optional<Type> typeFromName(std::string_view name);
const char *typeName(Type type);
/// Bytes in memory; a predicate has 1.
unsigned typeSize(Type type);
bool isSigned(Type type);
bool isFloat(Type type);

} // namespace hk::emulator

#endif // HK_EMULATOR_TYPES_H
