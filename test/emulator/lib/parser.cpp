// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parser.h"

#include "body_parser.h"
#include "token_stream.h"

namespace hk::emulator {
namespace {

class ModuleParser {
public:
  explicit ModuleParser(const std::string &text) : tokens(tokenize(text)) {}

  ModuleText run() {
    while (tokens.peek().kind != Token::End)
      item();
    if (module.versionMajor == 0)
      tokens.fail("a '.version' directive");
    if (module.target.empty())
      tokens.fail("a '.target' directive");
    return std::move(module);
  }

private:
  void item() {
    const Token token = tokens.peek();
    const std::string word = tokens.expectWord("a directive");
    if (word == ".version") {
      version();
    } else if (word == ".target") {
      module.target = tokens.expectWord("a target such as 'sm_90a'");
      while (tokens.accept(','))
        tokens.expectWord("a target option");
    } else if (word == ".address_size") {
      if (tokens.expectInteger("an address size") != 64)
        TokenStream::failAt(token.line, "expects '.address_size 64'");
    } else if (word == ".visible" || word == ".weak" || word == ".common") {
      // Linking does not matter here.
    } else if (word == ".extern") {
      isExtern = true;
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      const Space space = word == ".global"  ? Space::Global
                          : word == ".const" ? Space::Const
                                             : Space::Shared;
      module.variables.push_back(parseVariable(tokens, space));
      module.variables.back().isExtern = isExtern;
      isExtern = false;
    } else if (word == ".entry") {
      kernel(token.line);
    } else if (word == ".func") {
      throw UnsupportedError("line " + std::to_string(token.line) +
                             ": expects every function to be inlined, but got "
                             "a '.func'");
    } else if (word == ".file" || word == ".loc") {
      tokens.skipLine();
    } else if (word == ".section") {
      section();
    } else if (word == ".pragma") {
      tokens.take();
      tokens.expect(';');
    } else {
      TokenStream::failAt(token.line, "expects a directive of a module, but "
                                      "got '" +
                                          word + "'");
    }
  }

  void version() {
    const Token token = tokens.take();
    const size_t dot = token.text.find('.');
    uint64_t major = 0, minor = 0;
    if (dot == std::string::npos ||
        !TokenStream::parseInteger(token.text.substr(0, dot), major) ||
        !TokenStream::parseInteger(token.text.substr(dot + 1), minor))
      TokenStream::failAt(token.line, "expects a version such as '8.0', but "
                                      "got '" +
                                          token.text + "'");
    module.versionMajor = static_cast<unsigned>(major);
    module.versionMinor = static_cast<unsigned>(minor);
  }

  /// Debug information: skipped.
  void section() {
    while (!tokens.peek().is('{') && tokens.peek().kind != Token::End)
      tokens.take();
    tokens.expect('{');
    while (!tokens.peek().is('}') && tokens.peek().kind != Token::End)
      tokens.take();
    tokens.expect('}');
  }

  void kernel(unsigned line) {
    KernelText kernel;
    kernel.line = line;
    kernel.name = tokens.expectWord("the kernel's name");
    if (tokens.accept('(')) {
      while (!tokens.peek().is(')')) {
        if (tokens.expectWord("'.param'") != ".param")
          TokenStream::failAt(line, "expects '.param' before a parameter of '" +
                                        kernel.name + "'");
        kernel.parameters.push_back(parseVariable(tokens, Space::Param));
        if (!tokens.accept(','))
          break;
      }
      tokens.expect(')');
    }
    while (!tokens.peek().is('{')) {
      const std::string word = tokens.expectWord("a directive or '{'");
      std::vector<uint32_t> &numbers = kernel.directives[word];
      while (tokens.peek().kind == Token::Number) {
        numbers.push_back(
            static_cast<uint32_t>(tokens.expectInteger("a number")));
        tokens.accept(',');
      }
    }
    tokens.expect('{');
    parseBody(tokens, module, kernel);
    for (const KernelText &other : module.kernels)
      if (other.name == kernel.name)
        TokenStream::failAt(line, "expects kernels of different names, but "
                                  "got '" +
                                      kernel.name + "' twice");
    module.kernels.push_back(std::move(kernel));
  }

  TokenStream tokens;
  ModuleText module;
  bool isExtern = false;
};

} // namespace

ModuleText parseModule(const std::string &text) {
  return ModuleParser(text).run();
}

} // namespace hk::emulator
