// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's text to its program: where its variables lie, then instruction by
// instruction.
#include "decoder.h"

#include <algorithm>
#include <set>

namespace hk::emulator {
namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

void collectNames(const TextOperand &operand, std::set<std::string> &names) {
  if (operand.kind == TextOperand::Symbol)
    names.insert(operand.name);
  for (const TextOperand &one : operand.list)
    collectNames(one, names);
}

class Layout {
public:
  Layout(const ModuleText &module, const KernelText &kernel,
         const std::vector<uint64_t> &globals, Program &program)
      : program(program) {
    for (const TextInstruction &i : kernel.code)
      for (const TextOperand &operand : i.operands)
        collectNames(operand, used);
    placeParameters(kernel);
    std::vector<const Variable *> dynamic;
    for (size_t v = 0; v < module.variables.size(); ++v) {
      const Variable &variable = module.variables[v];
      if (variable.space == Space::Shared)
        placeShared(variable, dynamic);
      else
        addresses[variable.name] = globals[v];
    }
    for (const Variable &variable : kernel.variables) {
      if (variable.space == Space::Shared) {
        placeShared(variable, dynamic);
        continue;
      }
      program.localBytes = static_cast<uint32_t>(
          alignUp(program.localBytes, variable.alignment));
      addresses[variable.name] = program.localBytes;
      program.localBytes += static_cast<uint32_t>(variable.size);
    }
    // Dynamic shared memory follows the static, at the strictest alignment.
    for (const Variable *variable : dynamic)
      program.staticShared = static_cast<uint32_t>(
          alignUp(program.staticShared, variable->alignment));
    for (const Variable *variable : dynamic)
      addresses[variable->name] = program.staticShared;
    program.usesDynamicShared = !dynamic.empty();
  }

  Addresses addresses;

private:
  void placeParameters(const KernelText &kernel) {
    uint64_t offset = 0;
    for (const Variable &parameter : kernel.parameters) {
      offset = alignUp(offset, parameter.alignment);
      program.parameters.push_back({parameter.name,
                                    static_cast<uint32_t>(offset),
                                    static_cast<uint32_t>(parameter.size)});
      addresses[parameter.name] = offset;
      offset += parameter.size;
    }
    program.parameterBytes = static_cast<uint32_t>(offset);
  }

  void placeShared(const Variable &variable,
                   std::vector<const Variable *> &dynamic) {
    if (!used.count(variable.name))
      return;
    if (variable.size == 0) {
      dynamic.push_back(&variable);
      return;
    }
    program.staticShared = static_cast<uint32_t>(
        alignUp(program.staticShared, variable.alignment));
    addresses[variable.name] = program.staticShared;
    program.staticShared += static_cast<uint32_t>(variable.size);
  }

  Program &program;
  std::set<std::string> used;
};

} // namespace

std::unique_ptr<Program> decodeKernel(const ModuleText &module,
                                      const KernelText &kernel,
                                      const std::vector<uint64_t> &globals) {
  auto program = std::make_unique<Program>();
  program->text = &kernel;
  for (const RegisterDecl &reg : kernel.registers)
    program->registerTypes.push_back(reg.type);
  const Layout layout(module, kernel, globals, *program);
  if (kernel.code.empty())
    throw ModuleError("line " + std::to_string(kernel.line) +
                      ": expects instructions in kernel '" + kernel.name + "'");
  std::unordered_map<uint64_t, uint32_t> constants;
  program->code.reserve(kernel.code.size());
  for (const TextInstruction &text : kernel.code)
    program->code.push_back(
        Decoder(*program, layout.addresses, constants, text).run());
  // Operands that an instruction does not use read constant 0.
  if (program->constants.empty())
    program->constants.push_back(0);
  return program;
}

} // namespace hk::emulator
