// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Pipeline/Dump.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hk;

llvm::Expected<std::unique_ptr<DumpFolder>> DumpFolder::create(StringRef path) {
  if (std::error_code error = llvm::sys::fs::create_directories(path))
    return llvm::createStringError(error, "cannot create folder '" + path +
                                              "': " + error.message());
  return std::unique_ptr<DumpFolder>(new DumpFolder(path));
}

void DumpFolder::writeFile(StringRef name, StringRef text) {
  SmallString<256> file(path);
  llvm::sys::path::append(file, name);
  llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
  failure = llvm::joinErrors(std::move(failure), std::move(error));
}

void DumpFolder::write(StringRef pass, StringRef part, StringRef extension,
                       StringRef text) {
  std::string label = part.empty() ? pass.str() : (part + "." + pass).str();
  std::string name =
      llvm::formatv("{0,0+2}-{1}.{2}", count++, label, extension);
  std::string &before = last[(part + "/" + extension).str()];
  writeFile(name, text);
  index.push_back(llvm::json::Object{{"file", name},
                                     {"pass", pass.str()},
                                     {"part", part.str()},
                                     {"changed", before != text}});
  before = text.str();
}

llvm::Error DumpFolder::finish() {
  writeFile(
      "index.json",
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(index))).str());
  return std::move(failure);
}

namespace {

class DumpInstrumentation final : public PassInstrumentation {
public:
  explicit DumpInstrumentation(DumpFolder &folder) : folder(folder) {}

  void runAfterPass(Pass *pass, Operation *op) override { dump(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    dump(pass, op, ".failed");
  }

private:
  void dump(Pass *pass, Operation *op, StringRef suffix) {
    // Adaptors that run nested pipelines have no name to call them by.
    if (pass->getArgument().empty())
      return;
    StringRef part;
    if (op->getParentOp())
      if (auto name =
              op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        part = name.getValue();
    std::string text;
    llvm::raw_string_ostream(text) << *op << '\n';
    folder.write((pass->getArgument() + suffix).str(), part, "mlir", text);
  }

  DumpFolder &folder;
};

} // namespace

std::unique_ptr<PassInstrumentation>
hk::createDumpInstrumentation(DumpFolder &folder) {
  return std::make_unique<DumpInstrumentation>(folder);
}
