// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/error.h"

#include <cstdio>
#include <new>

using namespace hk::tools;

int hk::tools::runReportingErrors(const char *tool, int (*body)(int, char **),
                                  int argc, char **argv) {
  try {
    return body(argc, argv);
  } catch (const ToolError &error) {
    std::fprintf(stderr, "%s: error: %s\n", tool, error.what());
    return error.code;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr,
                 "%s: error: expects enough memory, but got none left\n", tool);
    return ExitEnvironment;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: internal error: %s\n", tool, error.what());
    return ExitInternal;
  }
}
