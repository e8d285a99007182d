// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/file.h"

#include "common/error.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace hk::tools;

OutputFile::OutputFile(std::string target) : path(std::move(target)) {
  if (path == "-") {
    stream = stdout;
    return;
  }
  // A device such as /dev/null must not be replaced by a file.
  struct stat status;
  bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  temporary = special ? "" : path + ".tmp" + std::to_string(::getpid());
  stream = std::fopen(special ? path.c_str() : temporary.c_str(), "wb");
  if (!stream) {
    temporary.clear();
    fail("a path that can be written");
  }
}

OutputFile::~OutputFile() {
  if (stream && stream != stdout)
    std::fclose(stream);
  if (!temporary.empty())
    std::remove(temporary.c_str());
}

void OutputFile::fail(const char *what) {
  std::string reason = std::strerror(errno);
  environmentError(path + ": expects " + what + ", but got: " + reason);
}

void OutputFile::write(const void *data, size_t size) {
  if (size && std::fwrite(data, 1, size, stream) != size)
    fail("room for the output");
}

void OutputFile::commit() {
  std::FILE *finished = stream;
  stream = nullptr;
  if (finished == stdout) {
    if (std::fflush(stdout) != 0)
      fail("room for the output");
    return;
  }
  if (std::fclose(finished) != 0)
    fail("room for the output");
  if (temporary.empty())
    return;
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    fail("a path that can be written");
  temporary.clear();
}
