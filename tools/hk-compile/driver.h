// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the compiler.

#ifndef HK_TOOLS_HK_COMPILE_DRIVER_H
#define HK_TOOLS_HK_COMPILE_DRIVER_H

#include "options.h"

namespace hk {

/// The exit codes of every tool.
enum class ExitCode : int {
  Success = 0,
  User = 1,
  Unsupported = 2,
  Environment = 3,
  Internal = 4
};

/// Compiles as `options` say. Errors are printed to standard error.
ExitCode compile(const CompileOptions &options);

} // namespace hk

#endif // HK_TOOLS_HK_COMPILE_DRIVER_H
