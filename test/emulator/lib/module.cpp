// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "module.h"

#include "decoder.h"
#include "launch.h"
#include "parser.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hk::emulator {
namespace {

uint64_t placeGlobal(const Variable &variable, Memory &memory) {
  const std::string at = "line " + std::to_string(variable.line) + ": ";
  if (variable.isExtern || variable.size == 0)
    throw UnsupportedError(at +
                           "expects variables of this module, but got "
                           "the external '" +
                           variable.name + "'");
  const uint64_t address = memory.allocate(variable.size, variable.name);
  if (!address)
    throw ModuleError(at + "expects device memory for '" + variable.name +
                      "', but got none");
  std::vector<uint8_t> bytes(variable.size, 0);
  const unsigned size = typeSize(variable.type);
  for (size_t i = 0; i < variable.values.size(); ++i)
    std::memcpy(bytes.data() + i * size, &variable.values[i], size);
  memory.write(address, bytes.data(), bytes.size());
  return address;
}

bool flag(const char *name) {
  const char *value = std::getenv(name);
  return value && *value && std::strcmp(value, "0") != 0;
}

} // namespace

Options Options::fromEnvironment() {
  Options options;
  options.lazy = flag("HK_EMULATOR_LAZY");
  options.races = flag("HK_EMULATOR_RACES");
  if (const char *budget = std::getenv("HK_EMULATOR_BUDGET"))
    if (const uint64_t value = std::strtoull(budget, nullptr, 10))
      options.budget = value;
  if (const char *seed = std::getenv("HK_EMULATOR_SEED"))
    options.seed = std::strtoull(seed, nullptr, 10);
  return options;
}

Module::Module(const std::string &ptx, Memory &memory)
    : text(std::make_unique<ModuleText>(parseModule(ptx))), memory(memory) {
  for (const Variable &variable : text->variables)
    globals.push_back(
        variable.space == Space::Shared ? 0 : placeGlobal(variable, memory));
  for (const KernelText &kernel : text->kernels)
    programs.push_back(decodeKernel(*text, kernel, globals));
}

Module::~Module() {
  for (const uint64_t address : globals)
    if (address)
      memory.free(address);
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const KernelText &kernel : text->kernels)
    names.push_back(kernel.name);
  return names;
}

bool Module::hasKernel(const std::string &kernel) const {
  const auto names = kernels();
  return std::find(names.begin(), names.end(), kernel) != names.end();
}

const Program &Module::program(const std::string &kernel) const {
  for (const auto &program : programs)
    if (program->text->name == kernel)
      return *program;
  throw ModuleError("expects a kernel of the module, but got '" + kernel + "'");
}

std::vector<ParameterInfo> Module::parameters(const std::string &kernel) const {
  return program(kernel).parameters;
}

uint32_t Module::staticSharedBytes(const std::string &kernel) const {
  return program(kernel).staticShared;
}

uint32_t Module::maxThreads(const std::string &kernel) const {
  return maxThreadsOf(program(kernel));
}

const std::string &Module::target() const { return text->target; }
unsigned Module::isaMajor() const { return text->versionMajor; }
unsigned Module::isaMinor() const { return text->versionMinor; }

LaunchStatistics Module::launch(const std::string &kernel,
                                const LaunchConfig &config,
                                const Options &options) {
  return runLaunch(program(kernel), text->target, config, memory, options);
}

} // namespace hk::emulator
