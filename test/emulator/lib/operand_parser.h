// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a kernel's body, and operands that use them.
#ifndef HK_EMULATOR_OPERAND_PARSER_H
#define HK_EMULATOR_OPERAND_PARSER_H

#include "ast.h"
#include "token_stream.h"

#include <unordered_map>

namespace hk::emulator {

/// An integer, 0f or 0d literal, converted to `type` where that is a float.
bool parseLiteral(const std::string &text, Type type, uint64_t &value);

/// Registers and labels by block. Labels may be used before they stand.
class Names {
public:
  Names(const ModuleText &module, KernelText &kernel)
      : module(module), kernel(kernel) {}

  void open();
  void close() { current = blocks[current].parent; }
  void addRegister(const std::string &name, Type type, unsigned line);
  void addLabel(const std::string &name, unsigned line);
  int32_t registerIndex(const std::string &name, unsigned line) const;
  /// A register, special register, or variable.
  TextOperand lookUp(const std::string &name, unsigned line) const;
  /// Notes the use of a label; resolveLabels() gives it its instruction.
  TextOperand useLabel(const std::string &name, unsigned line);
  void resolveLabels();

private:
  struct Block {
    int parent = -1;
    std::unordered_map<std::string, uint32_t> registers, labels;
  };
  struct LabelUse {
    std::string name;
    unsigned line;
    int block;
  };
  const uint32_t *findRegister(const std::string &name) const;

  const ModuleText &module;
  KernelText &kernel;
  std::vector<Block> blocks;
  std::vector<LabelUse> uses;
  int current = -1;
};

class OperandParser {
public:
  OperandParser(TokenStream &tokens, Names &names, bool isBranch)
      : tokens(tokens), names(names), isBranch(isBranch) {}

  TextOperand parse();
  /// What was read, for messages.
  const std::string &text() const { return written; }

private:
  TextOperand single();
  TextOperand address();
  TextOperand number(bool minus);
  Token take();

  TokenStream &tokens;
  Names &names;
  bool isBranch;
  std::string written;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_OPERAND_PARSER_H
