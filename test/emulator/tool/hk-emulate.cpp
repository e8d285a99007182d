// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-emulate: runs one kernel of a PTX file under the emulator.
//
// Exit codes: 0 the kernel ended, 1 a fault of the kernel or of the command
// line, 2 PTX that the emulator does not model, 3 a file that cannot be
// written, 4 a fault of the emulator.
#include "arguments.h"
#include "module.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace hk::emulator;

namespace {

const char *const kUsage =
    "usage: hk-emulate FILE.ptx [options]\n"
    "  --kernel NAME        the kernel; may be left out if there is one\n"
    "  --grid X[,Y[,Z]]     CTAs, default 1\n"
    "  --block X[,Y[,Z]]    threads of a CTA, default 1\n"
    "  --cluster X[,Y[,Z]]  CTAs of a cluster, default as the kernel says\n"
    "  --shared BYTES       dynamic shared memory, default 0\n"
    "  --arg ARGUMENT       once a parameter, in order:\n"
    "      TYPE:VALUE           u32:5, s64:-1, f32:0.5\n"
    "      in:FILE              a buffer with the file's bytes (.npy: its "
    "data)\n"
    "      out:TYPE:COUNT:FILE  an uninitialised buffer, written afterwards\n"
    "                           (.npy or raw)\n"
    "      inout:TYPE:FILE:FILE a buffer read before and written afterwards\n"
    "  --lazy               asynchronous operations complete late\n"
    "  --races              report races in shared memory\n"
    "  --budget N           instructions of warps before a launch counts as "
    "hung\n"
    "  --seed N             warps take turns in a random order\n";

std::array<uint32_t, 3> parseExtent(const std::string &text) {
  std::array<uint32_t, 3> extent{1, 1, 1};
  std::istringstream in(text);
  std::string part;
  size_t d = 0;
  while (d < 3 && std::getline(in, part, ','))
    extent[d++] = static_cast<uint32_t>(parseUnsigned(part));
  if (d == 0 || in.good())
    throw ArgumentError("expects one to three numbers, but got '" + text + "'");
  return extent;
}

struct Command {
  std::string file, kernel;
  LaunchConfig config;
  Options options = Options::fromEnvironment();
  std::vector<std::string> arguments;
};

Command parseCommand(int argc, char **argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.rfind("--", 0) != 0) {
      if (!command.file.empty())
        throw ArgumentError("expects one file, but got '" + option + "' too");
      command.file = option;
      continue;
    }
    if (option == "--lazy") {
      command.options.lazy = true;
      continue;
    }
    if (option == "--races") {
      command.options.races = true;
      continue;
    }
    if (i + 1 == argc)
      throw ArgumentError("expects a value after '" + option + "'");
    const std::string value = argv[++i];
    if (option == "--kernel")
      command.kernel = value;
    else if (option == "--grid")
      command.config.grid = parseExtent(value);
    else if (option == "--block")
      command.config.block = parseExtent(value);
    else if (option == "--cluster")
      command.config.cluster = parseExtent(value);
    else if (option == "--shared")
      command.config.sharedBytes = static_cast<uint32_t>(parseUnsigned(value));
    else if (option == "--budget")
      command.options.budget = parseUnsigned(value);
    else if (option == "--seed")
      command.options.seed = parseUnsigned(value);
    else if (option == "--arg")
      command.arguments.push_back(value);
    else
      throw ArgumentError("expects a known option, but got '" + option + "'");
  }
  if (command.file.empty())
    throw ArgumentError("expects a PTX file, but got none");
  return command;
}

int run(const Command &command) {
  const std::vector<uint8_t> bytes = readFile(command.file);
  Memory memory;
  Module module(std::string(bytes.begin(), bytes.end()), memory);
  std::string kernel = command.kernel;
  if (kernel.empty()) {
    if (module.kernels().size() != 1)
      throw ArgumentError("expects --kernel, because the module has " +
                          std::to_string(module.kernels().size()) + " kernels");
    kernel = module.kernels()[0];
  }
  Arguments arguments(module.parameters(kernel), memory);
  for (const std::string &one : command.arguments)
    arguments.add(one);
  LaunchConfig config = command.config;
  config.parameters = arguments.bytes();
  const LaunchStatistics statistics =
      module.launch(kernel, config, command.options);
  arguments.writeResults();
  std::cout << kernel << ": " << statistics.threadInstructions
            << " instructions of threads\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    std::cout << kUsage;
    return argc < 2 ? 1 : 0;
  }
  try {
    return run(parseCommand(argc, argv));
  } catch (const UnsupportedError &error) {
    std::cerr << "hk-emulate: " << error.what() << "\n";
    return 2;
  } catch (const WriteError &error) {
    std::cerr << "hk-emulate: " << error.what() << "\n";
    return 3;
  } catch (const std::runtime_error &error) {
    std::cerr << "hk-emulate: " << error.what() << "\n";
    return 1;
  } catch (const std::exception &error) {
    std::cerr << "hk-emulate: internal error: " << error.what() << "\n";
    return 4;
  }
}
