// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lexer.h"

#include "fault.h"

#include <cctype>

namespace hk::emulator {
namespace {

bool startsWord(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

bool continuesWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) {}

  std::vector<Token> run() {
    while (position < text.size())
      next();
    add(Token::End, "");
    return std::move(tokens);
  }

private:
  void add(Token::Kind kind, std::string word) {
    tokens.push_back({kind, std::move(word), line});
  }

  [[noreturn]] void fail(const std::string &message) {
    throw ModuleError("line " + std::to_string(line) + ": " + message);
  }

  bool at(const char *what) const {
    return text.compare(position, std::char_traits<char>::length(what), what) ==
           0;
  }

  void lineComment() {
    const size_t end = std::min(text.find('\n', position), text.size());
    const std::string comment = text.substr(position, end - position);
    static const std::string kMark = "implicit-def: ";
    const size_t mark = comment.find(kMark);
    if (mark != std::string::npos) {
      std::string name = comment.substr(mark + kMark.size());
      name = name.substr(0, name.find_first_of(" \t\r"));
      add(Token::Word, "implicit-def");
      add(Token::Word, name);
      add(Token::Punct, ";");
    }
    position = end;
  }

  void blockComment() {
    const size_t end = text.find("*/", position + 2);
    if (end == std::string::npos)
      fail("expects the comment to end with '*/', but got the end of the text");
    for (; position < end + 2; ++position)
      line += text[position] == '\n';
  }

  void word() {
    const size_t start = position;
    // "shared::cta" is one word, "label:" is two.
    while (position < text.size() && (continuesWord(text[position]) ||
                                      (at("::") && position + 2 < text.size() &&
                                       continuesWord(text[position + 2]))))
      position += at("::") ? 2 : 1;
    add(Token::Word, text.substr(start, position - start));
  }

  void next() {
    const char c = text[position];
    if (c == '\n') {
      ++line;
      ++position;
    } else if (std::isspace(static_cast<unsigned char>(c)) || c == '\0') {
      ++position;
    } else if (at("//")) {
      lineComment();
    } else if (at("/*")) {
      blockComment();
    } else if (startsWord(c)) {
      word();
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      const size_t start = position;
      while (position < text.size() && continuesWord(text[position]))
        ++position;
      add(Token::Number, text.substr(start, position - start));
    } else if (c == '"') {
      const size_t end = text.find('"', position + 1);
      if (end == std::string::npos)
        fail("expects '\"' to end a string, but got the end of the text");
      add(Token::String, text.substr(position + 1, end - position - 1));
      position = end + 1;
    } else if (std::string("{}[]()<>;:,=+-|!@*").find(c) != std::string::npos) {
      add(Token::Punct, std::string(1, c));
      ++position;
    } else {
      fail("expects PTX, but got the character '" + std::string(1, c) + "'");
    }
  }

  const std::string &text;
  size_t position = 0;
  unsigned line = 1;
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> tokenize(const std::string &text) {
  return Lexer(text).run();
}

} // namespace hk::emulator
