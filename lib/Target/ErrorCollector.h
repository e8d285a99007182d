// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps errors that LLVM reports in the middle of a run, for us to report.

#ifndef HK_LIB_TARGET_ERRORCOLLECTOR_H
#define HK_LIB_TARGET_ERRORCOLLECTOR_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace hk {

/// Writes the first error into `error`, which must outlive the context.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &error) : error(error) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && error.empty()) {
      llvm::raw_string_ostream stream(error);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  std::string &error;
};

} // namespace hk

#endif // HK_LIB_TARGET_ERRORCOLLECTOR_H
