// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded kernel: one function pointer an instruction, operands as indices.
#ifndef HK_EMULATOR_PROGRAM_H
#define HK_EMULATOR_PROGRAM_H

#include "ast.h"
#include "module.h"

#include <string>
#include <vector>

namespace hk::emulator {

class Execution;
struct Instruction;

/// Runs one instruction for the lanes of `mask`.
using Handler = void (*)(Execution &x, const Instruction &i, uint32_t mask);

constexpr unsigned kWarpSize = 32;

/// A register of a warp, or a constant of the program; 32 lanes either way.
struct Source {
  bool isConstant = true;
  bool negated = false;
  uint32_t index = 0;
};

constexpr uint32_t kNoRegister = ~uint32_t(0);

struct Instruction {
  Handler run = nullptr;
  int32_t predicate = -1;
  bool predicateNegated = false;
  Type type = Type::None;  ///< of the operation
  Type type2 = Type::None; ///< of the source, where another (cvt, mma's A)
  Space space = Space::Generic;
  uint8_t width = 1;       ///< elements of a vector access
  uint16_t flags = 0;      ///< by instruction
  uint32_t option = 0;     ///< by instruction: mode, N of wgmma, scope
  uint32_t target = 0;     ///< of a branch
  int64_t offsets[4] = {}; ///< of the addresses in `from`
  uint32_t to = kNoRegister, to2 = kNoRegister;
  Source from[4];
  std::vector<uint32_t> toList;
  std::vector<Source> fromList;
  const TextInstruction *text = nullptr;
};

/// A special register that the program reads: a register filled at the start.
struct SpecialUse {
  std::string name;
  uint32_t reg;
};

struct Program {
  const KernelText *text = nullptr;
  std::vector<Instruction> code;
  std::vector<uint64_t> constants;
  std::vector<Type> registerTypes; ///< those of the text, then special ones
  std::vector<SpecialUse> specials;
  std::vector<ParameterInfo> parameters;
  uint32_t parameterBytes = 0;
  uint32_t staticShared = 0; ///< bytes; dynamic shared memory follows
  uint32_t localBytes = 0;   ///< a thread
  bool usesDynamicShared = false;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_PROGRAM_H
