// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "body_parser.h"

#include "operand_parser.h"

#include <algorithm>

namespace hk::emulator {
namespace {

/// Registers and labels belong to the block that declares them: inline
/// assembly reuses the same names in block after block.
class BodyParser {
public:
  BodyParser(TokenStream &tokens, const ModuleText &module, KernelText &kernel)
      : tokens(tokens), names(module, kernel), kernel(kernel) {}

  void run() {
    names.open();
    for (size_t depth = 1; depth > 0;) {
      if (tokens.accept('{')) {
        names.open();
        ++depth;
      } else if (tokens.accept('}')) {
        names.close();
        --depth;
      } else if (tokens.peek().kind == Token::End) {
        tokens.fail("'}' at the end of kernel '" + kernel.name + "'");
      } else if (tokens.peek().kind == Token::Word &&
                 tokens.peek().text[0] == '.') {
        directive();
      } else if (tokens.peek().kind == Token::Word && tokens.peek(1).is(':')) {
        label();
      } else {
        instruction();
      }
    }
    names.resolveLabels();
    checkRegisters();
  }

private:
  void directive() {
    const Token token = tokens.take();
    const std::string &word = token.text;
    if (word == ".reg") {
      declareRegisters();
    } else if (word == ".shared" || word == ".local") {
      kernel.variables.push_back(parseVariable(
          tokens, word == ".shared" ? Space::Shared : Space::Local));
    } else if (word == ".loc" || word == ".file") {
      tokens.skipLine();
    } else if (word == ".pragma") {
      tokens.take();
      tokens.expect(';');
    } else {
      TokenStream::failAt(token.line, "expects a directive of a kernel's body, "
                                      "but got '" +
                                          word + "'");
    }
  }

  void declareRegisters() {
    const Token token = tokens.peek();
    std::string word = tokens.expectWord("a register's type");
    const auto type = typeFromName(word.substr(1));
    if (!type || *type == Type::B128)
      TokenStream::failAt(token.line,
                          "expects a register's type, but got '" + word + "'");
    do {
      const unsigned line = tokens.peek().line;
      const std::string name = tokens.expectWord("a register's name");
      if (tokens.accept('<')) {
        const uint64_t count = tokens.expectInteger("a count of registers");
        tokens.expect('>');
        if (count > 1000000)
          TokenStream::failAt(line, "expects at most 1000000 registers, but "
                                    "got " +
                                        std::to_string(count));
        for (uint64_t i = 0; i < count; ++i)
          names.addRegister(name + std::to_string(i), *type, line);
      } else {
        names.addRegister(name, *type, line);
      }
    } while (tokens.accept(','));
    tokens.expect(';');
  }

  void label() {
    const Token token = tokens.take();
    tokens.expect(':');
    names.addLabel(token.text, token.line);
  }

  void instruction() {
    TextInstruction result;
    result.line = tokens.peek().line;
    std::string text;
    if (tokens.accept('@')) {
      text = "@";
      if (tokens.accept('!')) {
        result.predicateNegated = true;
        text += '!';
      }
      const std::string name = tokens.expectWord("a predicate");
      result.predicate = names.registerIndex(name, result.line);
      text += name + ' ';
    }
    result.opcode = tokens.expectWord("an instruction");
    text += result.opcode;
    const bool isBranch = result.opcode.rfind("bra", 0) == 0 &&
                          result.opcode.rfind("barrier", 0) != 0;
    OperandParser operands(tokens, names, isBranch);
    if (!tokens.peek().is(';')) {
      do {
        result.operands.push_back(operands.parse());
      } while (tokens.accept(','));
    }
    if (!operands.text().empty())
      text += ' ' + operands.text();
    if (!tokens.peek().is(';'))
      tokens.fail("';' after '" + text + "'");
    tokens.take();
    result.text = text + ';';
    kernel.code.push_back(std::move(result));
  }

  void checkRegisters() const {
    for (const TextInstruction &i : kernel.code)
      if (i.predicate >= 0 && kernel.registers[i.predicate].type != Type::Pred)
        TokenStream::failAt(
            i.line,
            "expects a predicate after '@', but got a "
            "register of type '" +
                std::string(typeName(kernel.registers[i.predicate].type)) +
                "'");
  }

  TokenStream &tokens;
  Names names;
  KernelText &kernel;
};

uint64_t initialValue(TokenStream &tokens, Type type) {
  const bool minus = tokens.accept('-');
  const Token token = tokens.take();
  uint64_t value = 0;
  if (!parseLiteral(token.text, type, value))
    TokenStream::failAt(token.line, "expects a number as initial value, but "
                                    "got '" +
                                        token.text + "'");
  return minus ? ~value + 1 : value;
}

} // namespace

Variable parseVariable(TokenStream &tokens, Space space) {
  Variable result;
  result.space = space;
  result.line = tokens.peek().line;
  bool hasType = false, aligned = false, isPointer = false;
  std::string word;
  while ((word = tokens.expectWord("a variable's name"))[0] == '.') {
    if (word == ".align") {
      // After .ptr it is the alignment of what the parameter points to.
      const uint64_t alignment = tokens.expectInteger("an alignment");
      if (!isPointer)
        result.alignment = static_cast<uint32_t>(alignment);
      aligned = true;
    } else if (word == ".ptr" || word == ".global" || word == ".shared" ||
               word == ".const" || word == ".local" || word == ".attribute") {
      // Attributes of pointer parameters say nothing that matters here.
      isPointer |= word == ".ptr";
      if (tokens.accept('('))
        while (!tokens.accept(')'))
          tokens.take();
    } else if (auto type = typeFromName(word.substr(1))) {
      result.type = *type;
      hasType = true;
      if (!aligned)
        result.alignment = typeSize(*type);
    } else {
      TokenStream::failAt(
          result.line, "expects a type of a variable, but got '" + word + "'");
    }
  }
  if (!hasType)
    TokenStream::failAt(result.line, "expects a type before '" + word + "'");
  if (result.alignment == 0 || (result.alignment & (result.alignment - 1)))
    TokenStream::failAt(result.line, "expects an alignment that is a power of "
                                     "two, but got " +
                                         std::to_string(result.alignment));
  result.name = word;
  result.size = typeSize(result.type);
  while (tokens.accept('[')) {
    if (tokens.accept(']')) {
      result.size = 0;
      continue;
    }
    result.size *= tokens.expectInteger("an array's size");
    tokens.expect(']');
  }
  if (tokens.accept('=')) {
    if (tokens.accept('{')) {
      do
        result.values.push_back(initialValue(tokens, result.type));
      while (tokens.accept(','));
      tokens.expect('}');
    } else {
      result.values.push_back(initialValue(tokens, result.type));
    }
    if (result.values.size() * typeSize(result.type) > result.size)
      TokenStream::failAt(result.line, "expects at most " +
                                           std::to_string(result.size) +
                                           " bytes of initial values");
  }
  if (space != Space::Param)
    tokens.expect(';');
  return result;
}

void parseBody(TokenStream &tokens, const ModuleText &module,
               KernelText &kernel) {
  BodyParser(tokens, module, kernel).run();
}

} // namespace hk::emulator
