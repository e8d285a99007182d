// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/NVPTX/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace hk;
using namespace llvm;

Expected<std::string> hk::findPtxas() {
  std::optional<std::string> named = sys::Process::GetEnv("HK_PTXAS");
  if (named && !named->empty()) {
    if (*named == "none")
      return std::string();
    // A path is taken as it is, whether anything is there or not.
    ErrorOr<std::string> path = sys::findProgramByName(*named);
    if (path && sys::fs::can_execute(*path))
      return *path;
    return createStringError(
        "HK_PTXAS expects the path of a ptxas or 'none', but got '" + *named +
        "'");
  }
  std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME");
  if (home && !home->empty()) {
    SmallString<128> path(*home);
    sys::path::append(path, "bin", "ptxas");
    if (sys::fs::can_execute(path))
      return path.str().str();
  }
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return *path;
  return std::string();
}

namespace {

/// A file that is gone with the object.
class TemporaryFile {
public:
  /// An error message, or empty.
  std::string create(StringRef suffix) {
    if (std::error_code error =
            sys::fs::createTemporaryFile("hk", suffix, path))
      return "cannot make a temporary file: " + error.message();
    remover.setFile(path, /*deleteIt=*/true);
    return "";
  }
  std::string write(StringRef text) {
    std::error_code error;
    raw_fd_ostream stream(path, error);
    stream << text;
    stream.close();
    if (!error)
      error = stream.error();
    stream.clear_error();
    return error ? "cannot write '" + path.str().str() + "': " + error.message()
                 : "";
  }
  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  SmallString<128> path;

private:
  FileRemover remover;
};

} // namespace

/// Kernels are assembled beside each other. A cubin tells how it was made, so
/// that the threads are not as many as the machine has cores: it would be
/// another on each.
static constexpr StringLiteral kSplitOption = "-split-compile",
                               kSplitThreads = "4";

/// Whether `log` is of a ptxas that does not know the architecture or the
/// version of PTX yet.
static bool saysTooOld(StringRef log) {
  return log.contains("is not defined for option 'gpu-name'") ||
         log.contains("Unsupported .version");
}

Expected<PtxasResult> hk::runPtxas(StringRef ptxas, StringRef ptx,
                                   StringRef arch,
                                   ArrayRef<std::string> entries) {
  TemporaryFile input, output, log;
  for (const std::string &error : {input.create("ptx"), output.create("cubin"),
                                   log.create("log"), input.write(ptx)})
    if (!error.empty())
      return createStringError(error);
  std::string names = join(entries, ","), message;
  PtxasResult result;
  auto execute = [&](ArrayRef<StringRef> options) {
    SmallVector<StringRef> words = {ptxas, "-v",       "-O3", "-arch",
                                    arch,  input.path, "-o",  output.path};
    if (!names.empty())
      words.append({"-e", names});
    llvm::append_range(words, options);
    int code =
        sys::ExecuteAndWait(ptxas, words, std::nullopt,
                            {StringRef(), log.path.str(), log.path.str()},
                            /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
    result.log = StringRef(log.read()).rtrim().str();
    return code;
  };
  int code = execute({kSplitOption, kSplitThreads});
  // An older ptxas does not know how.
  if (code != 0 && StringRef(result.log).contains("Unknown option")) {
    // (What is redirected to a file is written over what it holds.)
    if (std::string error = log.write(""); !error.empty())
      return createStringError(error);
    code = execute({});
  }
  if (code == 0) {
    result.cubin = output.read();
    if (!result.cubin.empty())
      return result;
    message = "expects a cubin, but got an empty file";
  } else if (saysTooOld(result.log)) {
    return result;
  }
  if (message.empty())
    message =
        result.log.empty() ? "exit code " + std::to_string(code) : result.log;
  return createStringError("'" + ptxas + "' fails: " + message);
}
