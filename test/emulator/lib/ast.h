// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PTX module as text says it: names resolved, opcodes not yet understood.
#ifndef HK_EMULATOR_AST_H
#define HK_EMULATOR_AST_H

#include "types.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hk::emulator {

enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  SharedCluster,
  Local,
  Param,
  Const
};

/// A variable of .global, .const, .shared or .local, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t size = 0; ///< bytes; 0 for an .extern array without a size
  uint32_t alignment = 1;
  bool isExtern = false;
  std::vector<uint64_t> values; ///< initialiser, one an element
  unsigned line = 0;
};

struct TextOperand {
  enum Kind : uint8_t {
    Register, ///< index into KernelText::registers
    Special,  ///< %tid.x and the like, by name
    Immediate,
    Symbol,  ///< address of a variable, by name
    Label,   ///< index of an instruction
    Address, ///< [base + offset]; base is list[0]
    List,    ///< {a, b}
    Pair,    ///< a|b
    Sink,    ///< _
  };
  Kind kind = Sink;
  bool negated = false; ///< !p
  bool isFloatLiteral = false;
  uint32_t index = 0;
  int64_t offset = 0;
  uint64_t value = 0; ///< 0f literals as f32 bits, 0d literals as f64 bits
  std::string name;
  std::vector<TextOperand> list;
};

struct TextInstruction {
  unsigned line = 0;
  std::string opcode; ///< "ld.global.v4.f32"
  std::string text;   ///< the statement, for messages
  int32_t predicate = -1;
  bool predicateNegated = false;
  std::vector<TextOperand> operands;
};

struct RegisterDecl {
  std::string name;
  Type type;
};

struct KernelText {
  std::string name;
  unsigned line = 0;
  std::vector<Variable> parameters;
  std::vector<RegisterDecl> registers;
  std::vector<TextInstruction> code;
  std::vector<Variable> variables; ///< .shared and .local inside the body
  /// Directives such as "maxntid" with their numbers.
  std::map<std::string, std::vector<uint32_t>> directives;
};

struct ModuleText {
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target; ///< "sm_90a"
  std::vector<Variable> variables;
  std::vector<KernelText> kernels;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_AST_H
