// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of hk-compile.

#ifndef HK_TOOLS_HK_COMPILE_OPTIONS_H
#define HK_TOOLS_HK_COMPILE_OPTIONS_H

#include "hk/Pipeline/Pipeline.h"

#include <string>
#include <vector>

namespace hk {

enum class RemarkFormat { None, Text, Yaml };

/// What the user asked for, checked.
struct CompileOptions {
  std::string input;
  /// "-" is standard output.
  std::string output;
  Stage emit = Stage::Module;
  /// The stage whose output the input is, if it is not a network.
  std::optional<Stage> from;
  /// Instruction sets of CPUs, best first.
  std::vector<std::string> isas;
  /// Architectures of GPUs, in the order of the command line.
  std::vector<std::string> archs;
  /// GPUs whose schedules are asked for, one at most for an architecture.
  std::vector<std::string> devices;
  /// Schedules of a kernel for a GPU, at most.
  int64_t candidates = 3;
  bool oracle = false;
  RemarkFormat remarks = RemarkFormat::None;
  /// A regular expression on the names of passes.
  std::string remarksFilter;
  /// "-" is standard error.
  std::string remarksOutput;
  std::string dumpDir;
  bool verifyEach = true;
  bool verbose = false;
};

/// Reads the command line, with MLIR's own options on contexts, passes and
/// printing. Prints what is wrong with it and returns nothing where something
/// is.
std::optional<CompileOptions> parseCommandLine(int argc, char **argv);

} // namespace hk

#endif // HK_TOOLS_HK_COMPILE_OPTIONS_H
