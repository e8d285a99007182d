// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cursor over tokens, with the errors of a parser.
#ifndef HK_EMULATOR_TOKEN_STREAM_H
#define HK_EMULATOR_TOKEN_STREAM_H

#include "fault.h"
#include "lexer.h"

#include <cerrno>
#include <cstdlib>

namespace hk::emulator {

class TokenStream {
public:
  explicit TokenStream(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  const Token &peek(size_t ahead = 0) const {
    const size_t last = tokens.size() - 1;
    return tokens[position + ahead < last ? position + ahead : last];
  }

  Token take() {
    Token token = peek();
    if (position + 1 < tokens.size())
      ++position;
    return token;
  }

  bool accept(char punct) {
    if (!peek().is(punct))
      return false;
    take();
    return true;
  }

  void expect(char punct) {
    if (!accept(punct))
      fail("'" + std::string(1, punct) + "'");
  }

  std::string expectWord(const std::string &what) {
    if (peek().kind != Token::Word)
      fail(what);
    return take().text;
  }

  /// A whole number in any base of PTX.
  uint64_t expectInteger(const std::string &what) {
    const Token token = peek();
    uint64_t value = 0;
    if (token.kind != Token::Number || !parseInteger(token.text, value))
      fail(what);
    take();
    return value;
  }

  static bool parseInteger(std::string text, uint64_t &value) {
    if (!text.empty() && (text.back() == 'U' || text.back() == 'u'))
      text.pop_back();
    const bool binary = text.rfind("0b", 0) == 0 || text.rfind("0B", 0) == 0;
    char *end = nullptr;
    errno = 0;
    value = binary ? std::strtoull(text.c_str() + 2, &end, 2)
                   : std::strtoull(text.c_str(), &end, 0);
    return errno == 0 && end != text.c_str() && *end == '\0';
  }

  /// Skips a directive that stands on one line (.loc, .file).
  void skipLine() {
    const unsigned line = peek().line;
    while (peek().kind != Token::End && peek().line == line)
      take();
  }

  [[noreturn]] void fail(const std::string &expected) const {
    const Token &token = peek();
    const std::string got = token.kind == Token::End ? "the end of the text"
                                                     : "'" + token.text + "'";
    failAt(token.line, "expects " + expected + ", but got " + got);
  }

  [[noreturn]] static void failAt(unsigned line, const std::string &message) {
    throw ModuleError("line " + std::to_string(line) + ": " + message);
  }

private:
  std::vector<Token> tokens;
  size_t position = 0;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_TOKEN_STREAM_H
