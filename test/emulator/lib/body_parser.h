// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of a kernel: declarations, labels, instructions, nested blocks.
#ifndef HK_EMULATOR_BODY_PARSER_H
#define HK_EMULATOR_BODY_PARSER_H

#include "ast.h"
#include "token_stream.h"

namespace hk::emulator {

/// Parses from after the kernel's '{' through its '}'.
void parseBody(TokenStream &tokens, const ModuleText &module,
               KernelText &kernel);

/// A variable declaration, from after its state space through ';'. Parameters
/// end before ',' or ')' instead.
Variable parseVariable(TokenStream &tokens, Space space);

} // namespace hk::emulator

#endif // HK_EMULATOR_BODY_PARSER_H
