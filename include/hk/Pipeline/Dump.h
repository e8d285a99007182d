// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR after every pass, in files.

#ifndef HK_PIPELINE_DUMP_H
#define HK_PIPELINE_DUMP_H

#include "mlir/Pass/PassInstrumentation.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace hk {

/// A folder of numbered files and an index of them, `index.json`: a list of
/// {"file", "pass", "op", "changed"}. Not for several threads.
class DumpFolder {
public:
  /// Makes the folder where it is missing.
  static llvm::Expected<std::unique_ptr<DumpFolder>>
  create(llvm::StringRef path);

  /// Writes `text` as the next file, named after `pass` and, for a part of the
  /// network, `part`. The first failure is kept for `finish`.
  void write(llvm::StringRef pass, llvm::StringRef part,
             llvm::StringRef extension, llvm::StringRef text);

  /// Writes the index.
  llvm::Error finish();

private:
  explicit DumpFolder(llvm::StringRef path) : path(path.str()) {}
  void writeFile(llvm::StringRef name, llvm::StringRef text);

  std::string path;
  unsigned count = 0;
  llvm::json::Array index;
  /// The text last written of each part.
  llvm::StringMap<std::string> last;
  llvm::Error failure = llvm::Error::success();
};

/// Writes the operation of every pass, after it, to `folder`.
std::unique_ptr<mlir::PassInstrumentation>
createDumpInstrumentation(DumpFolder &folder);

} // namespace hk

#endif // HK_PIPELINE_DUMP_H
