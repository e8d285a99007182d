// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of one instruction to its decoded form. Families of instructions add
// their decoders to the table; each takes the modifiers that it knows, and what
// is left over is an error.
#ifndef HK_EMULATOR_DECODER_H
#define HK_EMULATOR_DECODER_H

#include "execution.h"
#include "program.h"

#include <functional>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

namespace hk::emulator {

/// Where the variables of a program lie, by name.
using Addresses = std::unordered_map<std::string, uint64_t>;

class Decoder {
public:
  Decoder(Program &program, const Addresses &addresses,
          std::unordered_map<uint64_t, uint32_t> &constantIndex,
          const TextInstruction &text);

  Instruction run();

  // Modifiers.
  bool take(std::string_view modifier);
  /// Index of the first of `modifiers` that is there, else -1.
  int takeOneOf(std::initializer_list<std::string_view> modifiers);
  /// The next type among the modifiers.
  Type takeType();
  bool hasType() const;
  /// The first modifier of this prefix, without it; empty if none.
  std::string takePrefix(std::string_view prefix);
  Space takeSpace(Space otherwise);
  /// Scopes, orders and cache hints that change nothing here. True when the
  /// access is strong (volatile, relaxed, acquire, ...).
  bool takeMemoryHints();

  // Operands, by index.
  size_t operandCount() const { return text.operands.size(); }
  void expectOperands(size_t least, size_t most);
  const TextOperand &operand(size_t i) const;
  Source source(size_t i) { return source(operand(i)); }
  Source source(const TextOperand &operand);
  uint32_t destination(size_t i) { return destination(operand(i)); }
  uint32_t destination(const TextOperand &operand);
  /// The same, but '_' is good too: kNoRegister.
  uint32_t optionalDestination(const TextOperand &operand);
  /// The elements of {..}, or the one operand there is.
  std::vector<TextOperand> elements(size_t i) const;
  /// [base + offset] into from[slot] and offset.
  void address(size_t i, unsigned slot);
  uint64_t immediate(size_t i) const;
  Source constant(uint64_t value);
  Type registerType(uint32_t reg) const { return program.registerTypes[reg]; }

  [[noreturn]] void fail(const std::string &message) const;
  [[noreturn]] void unsupported(const std::string &what) const;

  Instruction result;

private:
  Program &program;
  const Addresses &addresses;
  std::unordered_map<uint64_t, uint32_t> &constantIndex;
  const TextInstruction &text;
  std::vector<std::string> modifiers;
  std::string name;
};

using DecodeFunction = void (*)(Decoder &);
using DecodeTable = std::unordered_map<std::string, DecodeFunction>;

void addBitInstructions(DecodeTable &table);
void addMoveInstructions(DecodeTable &table);
void addConversions(DecodeTable &table);
void addComparisons(DecodeTable &table);
void addMemoryInstructions(DecodeTable &table);
void addAtomics(DecodeTable &table);
void addControlInstructions(DecodeTable &table);
void addBarriers(DecodeTable &table);
void addMbarriers(DecodeTable &table);
void addWarpInstructions(DecodeTable &table);
void addMatrixInstructions(DecodeTable &table);
void addMma(DecodeTable &table);
void addWgmma(DecodeTable &table);
void addAsyncCopies(DecodeTable &table);

// Arithmetic whose name is shared by several families: each declines what is
// not its own type.
bool decodeInteger(Decoder &d, std::string_view name, Type type);
bool decodeFloat(Decoder &d, std::string_view name, Type type);
bool decodeHalf(Decoder &d, std::string_view name, Type type);

/// st.async, which is an asynchronous copy.
void decodeStoreAsync(Decoder &d);

/// Decodes a kernel. Throws ModuleError, UnsupportedError.
std::unique_ptr<Program> decodeKernel(const ModuleText &module,
                                      const KernelText &kernel,
                                      const std::vector<uint64_t> &globals);

} // namespace hk::emulator

#endif // HK_EMULATOR_DECODER_H
