// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX text to tokens.
#ifndef HK_EMULATOR_LEXER_H
#define HK_EMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <vector>

namespace hk::emulator {

struct Token {
  enum Kind {
    Word,   ///< name, opcode with its modifiers, directive, register
    Number, ///< as written
    String, ///< without its quotes
    Punct,  ///< one character
    End,
  };
  Kind kind = End;
  std::string text;
  unsigned line = 0;

  bool is(char punct) const { return kind == Punct && text[0] == punct; }
  bool is(const char *word) const { return kind == Word && text == word; }
};

/// All tokens, an End at the last place. Comments vanish, but for LLVM's
/// "// implicit-def: %r", which becomes an instruction "implicit-def %r;":
/// the register then has some value. Throws ModuleError.
std::vector<Token> tokenize(const std::string &text);

} // namespace hk::emulator

#endif // HK_EMULATOR_LEXER_H
