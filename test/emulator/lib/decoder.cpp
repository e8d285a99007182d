// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decoder.h"

#include <algorithm>

namespace hk::emulator {
namespace {

void decodeArithmetic(Decoder &d) {
  // mul.wide.s16 has one type, cvt has two but is not here.
  const std::string name =
      d.result.text->opcode.substr(0, d.result.text->opcode.find('.'));
  if (!d.hasType())
    d.fail("expects a type among the modifiers of '" + name + "'");
  const Type type = d.takeType();
  d.result.type = type;
  if (!decodeInteger(d, name, type) && !decodeFloat(d, name, type) &&
      !decodeHalf(d, name, type))
    d.unsupported("'" + name + "' of type '" + typeName(type) + "'");
}

const DecodeTable &decodeTable() {
  static const DecodeTable table = [] {
    DecodeTable result;
    for (const char *name :
         {"add", "sub", "mul", "mad",  "fma",      "div",  "rem",   "min",
          "max", "abs", "neg", "sad",  "rcp",      "sqrt", "rsqrt", "ex2",
          "lg2", "sin", "cos", "tanh", "copysign", "testp"})
      result[name] = decodeArithmetic;
    addBitInstructions(result);
    addMoveInstructions(result);
    addConversions(result);
    addComparisons(result);
    addMemoryInstructions(result);
    addAtomics(result);
    addControlInstructions(result);
    addBarriers(result);
    addMbarriers(result);
    addWarpInstructions(result);
    addMatrixInstructions(result);
    addMma(result);
    addWgmma(result);
    addAsyncCopies(result);
    return result;
  }();
  return table;
}

} // namespace

Decoder::Decoder(Program &program, const Addresses &addresses,
                 std::unordered_map<uint64_t, uint32_t> &constantIndex,
                 const TextInstruction &text)
    : program(program), addresses(addresses), constantIndex(constantIndex),
      text(text) {
  size_t start = 0;
  while (start <= text.opcode.size()) {
    const size_t dot =
        std::min(text.opcode.find('.', start), text.opcode.size());
    modifiers.push_back(text.opcode.substr(start, dot - start));
    start = dot + 1;
  }
  name = modifiers.front();
  modifiers.erase(modifiers.begin());
  result.text = &text;
  result.predicate = text.predicate;
  result.predicateNegated = text.predicateNegated;
}

Instruction Decoder::run() {
  const auto found = decodeTable().find(name);
  if (found == decodeTable().end())
    unsupported("the instruction '" + name + "'");
  found->second(*this);
  if (!modifiers.empty())
    unsupported("the modifier '." + modifiers.front() + "' here");
  return std::move(result);
}

bool Decoder::take(std::string_view modifier) {
  const auto found = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> names) {
  int index = 0;
  for (std::string_view one : names) {
    if (take(one))
      return index;
    ++index;
  }
  return -1;
}

bool Decoder::hasType() const {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [](const std::string &m) { return typeFromName(m); });
}

Type Decoder::takeType() {
  for (auto at = modifiers.begin(); at != modifiers.end(); ++at)
    if (const auto type = typeFromName(*at)) {
      modifiers.erase(at);
      return *type;
    }
  fail("expects a type among the modifiers");
}

std::string Decoder::takePrefix(std::string_view prefix) {
  for (auto at = modifiers.begin(); at != modifiers.end(); ++at)
    if (at->compare(0, prefix.size(), prefix) == 0) {
      const std::string rest = at->substr(prefix.size());
      modifiers.erase(at);
      return rest;
    }
  return {};
}

Space Decoder::takeSpace(Space otherwise) {
  if (take("global"))
    return Space::Global;
  if (take("shared") || take("shared::cta"))
    return Space::Shared;
  if (take("shared::cluster"))
    return Space::SharedCluster;
  if (take("local"))
    return Space::Local;
  if (take("const"))
    return Space::Const;
  if (take("param") || take("param::entry"))
    return Space::Param;
  return otherwise;
}

bool Decoder::takeMemoryHints() {
  const bool strong = takeOneOf({"volatile", "relaxed", "acquire", "release",
                                 "acq_rel", "mmio", "sc"}) >= 0;
  take("weak");
  takeOneOf({"cta", "cluster", "gpu", "sys"});
  takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  take("nc");
  while (!takePrefix("L1::").empty() || !takePrefix("L2::").empty())
    ;
  return strong;
}

void Decoder::expectOperands(size_t least, size_t most) {
  const size_t count = operandCount();
  if (count >= least && count <= most)
    return;
  fail("expects " +
       (least == most ? std::to_string(least)
                      : std::to_string(least) + " to " + std::to_string(most)) +
       " operands, but got " + std::to_string(count));
}

const TextOperand &Decoder::operand(size_t i) const {
  if (i >= text.operands.size())
    fail("expects more than " + std::to_string(text.operands.size()) +
         " operands");
  return text.operands[i];
}

Source Decoder::constant(uint64_t value) {
  const auto added = constantIndex.emplace(
      value, static_cast<uint32_t>(program.constants.size()));
  if (added.second)
    program.constants.push_back(value);
  return {true, false, added.first->second};
}

Source Decoder::source(const TextOperand &operand) {
  switch (operand.kind) {
  case TextOperand::Register: {
    Source source{false, operand.negated, operand.index};
    return source;
  }
  case TextOperand::Immediate:
    return constant(operand.value);
  case TextOperand::Symbol: {
    const auto found = addresses.find(operand.name);
    if (found == addresses.end())
      fail("expects a variable with an address, but got '" + operand.name +
           "'");
    return constant(found->second + static_cast<uint64_t>(operand.offset));
  }
  case TextOperand::Special: {
    for (const SpecialUse &use : program.specials)
      if (use.name == operand.name)
        return {false, false, use.reg};
    const auto reg = static_cast<uint32_t>(program.registerTypes.size());
    program.specials.push_back({operand.name, reg});
    program.registerTypes.push_back(Type::B64);
    return {false, false, reg};
  }
  default:
    fail("expects a register or a number as operand");
  }
}

uint32_t Decoder::optionalDestination(const TextOperand &operand) {
  return operand.kind == TextOperand::Sink ? kNoRegister : destination(operand);
}

uint32_t Decoder::destination(const TextOperand &operand) {
  if (operand.kind != TextOperand::Register)
    fail("expects a register to write to");
  return operand.index;
}

std::vector<TextOperand> Decoder::elements(size_t i) const {
  const TextOperand &whole = operand(i);
  if (whole.kind == TextOperand::List)
    return whole.list;
  return {whole};
}

void Decoder::address(size_t i, unsigned slot) {
  const TextOperand &whole = operand(i);
  if (whole.kind != TextOperand::Address)
    fail("expects an address in brackets as operand " + std::to_string(i + 1));
  TextOperand base = whole.list[0];
  result.offsets[slot] = whole.offset;
  base.offset = 0;
  result.from[slot] = source(base);
}

uint64_t Decoder::immediate(size_t i) const {
  if (operand(i).kind != TextOperand::Immediate)
    fail("expects a constant as operand " + std::to_string(i + 1));
  return operand(i).value;
}

void Decoder::fail(const std::string &message) const {
  throw ModuleError("line " + std::to_string(text.line) + ": '" + text.text +
                    "': " + message);
}

void Decoder::unsupported(const std::string &what) const {
  throw UnsupportedError("line " + std::to_string(text.line) + ": '" +
                         text.text + "': the emulator does not model " + what);
}

} // namespace hk::emulator
