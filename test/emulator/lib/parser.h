// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens to a module.
#ifndef HK_EMULATOR_PARSER_H
#define HK_EMULATOR_PARSER_H

#include "ast.h"

namespace hk::emulator {

/// Throws ModuleError (UnsupportedError for device functions and the like)
/// with the line.
ModuleText parseModule(const std::string &text);

} // namespace hk::emulator

#endif // HK_EMULATOR_PARSER_H
