// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are either written whole or not at all.
#ifndef HK_TOOLS_COMMON_FILE_H
#define HK_TOOLS_COMMON_FILE_H

#include <cstdio>
#include <string>

namespace hk::tools {

/// Writes beside `path` and renames in `commit`, so that a failed run leaves
/// no broken file behind. The path "-" is stdout. Throws an environment error
/// that names the path and the reason.
class OutputFile {
public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(const void *data, size_t size);
  void write(const std::string &text) { write(text.data(), text.size()); }
  void commit();

private:
  [[noreturn]] void fail(const char *what);
  std::string path, temporary;
  std::FILE *stream = nullptr;
};

} // namespace hk::tools

#endif // HK_TOOLS_COMMON_FILE_H
