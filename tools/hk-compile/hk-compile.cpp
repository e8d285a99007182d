// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk-compile: from a network in .mlir to a module file.

#include "driver.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>

/// LLVM gives up on what it cannot compile with a message and an exit code of
/// its own; ours says whose fault it is.
static void reportFatalError(void *, const char *reason, bool) {
  llvm::WithColor::error(llvm::errs(), "hk-compile")
      << llvm::StringRef(reason).rtrim()
      << "; this is a fault of hk, not of the network\n";
  std::_Exit(static_cast<int>(hk::ExitCode::Internal));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(reportFatalError);
  auto options = hk::parseCommandLine(argc, argv);
  if (!options)
    return static_cast<int>(hk::ExitCode::User);
  return static_cast<int>(hk::compile(*options));
}
