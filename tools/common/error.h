// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tools fail: one message, one exit code.
#ifndef HK_TOOLS_COMMON_ERROR_H
#define HK_TOOLS_COMMON_ERROR_H

#include <stdexcept>
#include <string>

namespace hk::tools {

enum ExitCode {
  ExitOk = 0,
  ExitUserError = 1, ///< Wrong input, or a check that failed.
  ExitUnsupported = 2,
  ExitEnvironment = 3, ///< A file or a resource that the machine refused.
  ExitInternal = 4,
};

/// An error that ends the tool. The message has the form "expects X, but got
/// Y", without the name of the tool.
class ToolError : public std::runtime_error {
public:
  ToolError(ExitCode code, const std::string &message)
      : std::runtime_error(message), code(code) {}
  const ExitCode code;
};

[[noreturn]] inline void userError(const std::string &message) {
  throw ToolError(ExitUserError, message);
}

[[noreturn]] inline void environmentError(const std::string &message) {
  throw ToolError(ExitEnvironment, message);
}

/// Runs `body`, which returns an exit code, and turns whatever it throws into
/// one line on stderr and the matching code.
int runReportingErrors(const char *tool, int (*body)(int, char **), int argc,
                       char **argv);

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_ERROR_H
