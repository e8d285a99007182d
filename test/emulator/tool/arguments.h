// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel parameters from the command line: numbers, and buffers in files.
#ifndef HK_EMULATOR_ARGUMENTS_H
#define HK_EMULATOR_ARGUMENTS_H

#include "module.h"

#include <stdexcept>

namespace hk::emulator {

/// The command line cannot be used.
class ArgumentError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A result cannot be written.
class WriteError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

uint64_t parseUnsigned(const std::string &text);
std::vector<uint8_t> readFile(const std::string &path);

class Arguments {
public:
  Arguments(std::vector<ParameterInfo> parameters, Memory &memory)
      : parameters(std::move(parameters)), memory(memory) {}

  /// The next parameter, as hk-emulate's usage describes it.
  void add(const std::string &text);
  /// All parameters. Throws ArgumentError when some are missing.
  std::vector<uint8_t> bytes() const;
  void writeResults();

private:
  struct Result {
    uint64_t address;
    size_t bytes;
    std::string type, path;
  };
  void put(const void *value, size_t size, const std::string &text);
  void addBuffer(const std::vector<uint8_t> &data, const std::string &text);

  std::vector<ParameterInfo> parameters;
  Memory &memory;
  size_t next = 0;
  std::vector<uint8_t> packed;
  std::vector<Result> results;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_ARGUMENTS_H
