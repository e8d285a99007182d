// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operand_parser.h"

#include <cstring>

namespace hk::emulator {

bool parseLiteral(const std::string &text, Type type, uint64_t &value) {
  const bool single = text.rfind("0f", 0) == 0 || text.rfind("0F", 0) == 0;
  const bool twice = text.rfind("0d", 0) == 0 || text.rfind("0D", 0) == 0;
  if (!single && !twice) {
    if (TokenStream::parseInteger(text, value))
      return true;
    if (text.find('.') == std::string::npos)
      return false;
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const float narrow = static_cast<float>(number);
    uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof(bits));
    std::memcpy(&value, &number, sizeof(value));
    if (type != Type::F64)
      value = bits;
    return *end == '\0';
  }
  if (text.size() != (single ? 10u : 18u))
    return false;
  return TokenStream::parseInteger("0x" + text.substr(2), value);
}

void Names::open() {
  blocks.push_back({current, {}, {}});
  current = static_cast<int>(blocks.size()) - 1;
}

void Names::addRegister(const std::string &name, Type type, unsigned line) {
  const auto index = static_cast<uint32_t>(kernel.registers.size());
  if (!blocks[current].registers.emplace(name, index).second)
    TokenStream::failAt(line, "expects each register once, but got '" + name +
                                  "' again");
  kernel.registers.push_back({name, type});
}

void Names::addLabel(const std::string &name, unsigned line) {
  const auto at = static_cast<uint32_t>(kernel.code.size());
  if (!blocks[current].labels.emplace(name, at).second)
    TokenStream::failAt(line, "expects each label once, but got '" + name +
                                  "' again");
}

const uint32_t *Names::findRegister(const std::string &name) const {
  for (int block = current; block >= 0; block = blocks[block].parent) {
    const auto found = blocks[block].registers.find(name);
    if (found != blocks[block].registers.end())
      return &found->second;
  }
  return nullptr;
}

int32_t Names::registerIndex(const std::string &name, unsigned line) const {
  const uint32_t *index = findRegister(name);
  if (!index)
    TokenStream::failAt(line,
                        "expects a declared register, but got '" + name + "'");
  return static_cast<int32_t>(*index);
}

TextOperand Names::lookUp(const std::string &name, unsigned line) const {
  TextOperand result;
  result.name = name;
  if (name == "_")
    return result;
  if (const uint32_t *index = findRegister(name)) {
    result.kind = TextOperand::Register;
    result.index = *index;
    return result;
  }
  if (name[0] == '%') {
    static const char *const kSpecial[] = {
        "%tid.",     "%ntid.",   "%ctaid.",    "%nctaid.",  "%laneid",
        "%warpid",   "%nwarpid", "%lanemask_", "%cluster",  "%ncluster",
        "%is_expli", "%clock",   "%globalt",   "%dynamic_", "%total_sm",
        "%smid",     "%nsmid",   "%gridid",    "%aggr_sme"};
    for (const char *prefix : kSpecial)
      if (name.rfind(prefix, 0) == 0) {
        result.kind = TextOperand::Special;
        return result;
      }
  }
  const auto known = [&](const std::vector<Variable> &variables) {
    for (const Variable &variable : variables)
      if (variable.name == name)
        return true;
    return false;
  };
  if (!known(kernel.variables) && !known(kernel.parameters) &&
      !known(module.variables))
    TokenStream::failAt(line, "expects a declared register or variable, but "
                              "got '" +
                                  name + "'");
  result.kind = TextOperand::Symbol;
  return result;
}

TextOperand Names::useLabel(const std::string &name, unsigned line) {
  TextOperand result;
  result.kind = TextOperand::Label;
  result.name = name;
  result.index = static_cast<uint32_t>(uses.size());
  uses.push_back({name, line, current});
  return result;
}

void Names::resolveLabels() {
  for (TextInstruction &instruction : kernel.code)
    for (TextOperand &operand : instruction.operands) {
      if (operand.kind != TextOperand::Label)
        continue;
      const LabelUse &use = uses[operand.index];
      const uint32_t *target = nullptr;
      for (int block = use.block; block >= 0 && !target;
           block = blocks[block].parent) {
        const auto found = blocks[block].labels.find(use.name);
        if (found != blocks[block].labels.end())
          target = &found->second;
      }
      if (!target)
        TokenStream::failAt(use.line, "expects a label of this kernel, but "
                                      "got '" +
                                          use.name + "'");
      operand.index = *target;
    }
}

Token OperandParser::take() {
  const Token token = tokens.take();
  written += token.text;
  if (token.is(','))
    written += ' ';
  return token;
}

TextOperand OperandParser::parse() {
  if (!written.empty())
    written += ", ";
  TextOperand first = single();
  if (!tokens.peek().is('|'))
    return first;
  take();
  TextOperand pair;
  pair.kind = TextOperand::Pair;
  pair.list.push_back(std::move(first));
  pair.list.push_back(single());
  return pair;
}

TextOperand OperandParser::number(bool minus) {
  const Token token = take();
  TextOperand result;
  result.kind = TextOperand::Immediate;
  if (!parseLiteral(token.text, Type::None, result.value))
    TokenStream::failAt(token.line,
                        "expects a number, but got '" + token.text + "'");
  const char mark = token.text.size() > 1 ? token.text[1] : ' ';
  result.isFloatLiteral =
      token.text[0] == '0' && token.text.size() > 9 &&
      (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D');
  if (minus)
    result.value = ~result.value + 1;
  return result;
}

TextOperand OperandParser::single() {
  const Token &token = tokens.peek();
  const unsigned line = token.line;
  if (token.is('{')) {
    take();
    TextOperand result;
    result.kind = TextOperand::List;
    do {
      result.list.push_back(single());
    } while (tokens.peek().is(',') && (take(), true));
    if (!tokens.peek().is('}'))
      tokens.fail("'}' after the elements of a vector");
    take();
    return result;
  }
  if (token.is('['))
    return address();
  if (token.is('!')) {
    take();
    TextOperand result = single();
    result.negated = true;
    return result;
  }
  if (token.is('-')) {
    take();
    if (tokens.peek().kind != Token::Number)
      tokens.fail("a number after '-'");
    return number(true);
  }
  if (token.kind == Token::Number)
    return number(false);
  if (token.kind != Token::Word)
    tokens.fail("an operand");
  const std::string name = take().text;
  if (isBranch)
    return names.useLabel(name, line);
  TextOperand result = names.lookUp(name, line);
  if (result.kind == TextOperand::Symbol && tokens.peek().is('+')) {
    take();
    result.offset = static_cast<int64_t>(number(false).value);
  }
  return result;
}

TextOperand OperandParser::address() {
  TextOperand result;
  result.kind = TextOperand::Address;
  take();
  result.list.push_back(single());
  result.offset = result.list[0].offset;
  if (tokens.peek().is('+')) {
    take();
    const bool minus = tokens.peek().is('-');
    if (minus)
      take();
    result.offset += static_cast<int64_t>(number(minus).value);
  } else if (tokens.peek().is('-')) {
    take();
    result.offset += static_cast<int64_t>(number(true).value);
  }
  if (tokens.peek().is(',')) {
    TokenStream::failAt(tokens.peek().line,
                        "expects an address [base+offset], but got a tensor "
                        "map's coordinates, which the emulator does not model");
  }
  if (!tokens.peek().is(']'))
    tokens.fail("']' at the end of an address");
  take();
  return result;
}

} // namespace hk::emulator
