// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a compiled network as a module file (.hkm).

#ifndef HK_TARGET_MODULE_MODULEWRITER_H
#define HK_TARGET_MODULE_MODULEWRITER_H

#include "hk/Target/CPU/CodeGen.h"
#include "hk/Target/NVPTX/CodeGen.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#include <string>
#include <vector>

namespace hk {

/// A remark as a module file keeps it.
struct RemarkRecord {
  mlir::remark::RemarkKind kind;
  std::string pass;
  std::string name;
  std::string function;
  /// "file:line:column", or empty; the file without its folders.
  std::string location;
  std::string message;
};

/// The code of all modules of kernels.
struct ModuleCode {
  std::vector<KernelCode> cpu;
  std::vector<PTXCode> gpu;
};

/// Writes the executables, plans and packed values of `module`, with the code
/// that was generated for it, as the bytes of a module file. `source` is the
/// name of the file that was compiled; only its last component is kept, so
/// that the bytes do not depend on where it lies. The functions written are
/// those that have an `hk.plan`. Errors are emitted at the operation that
/// cannot be written.
mlir::FailureOr<std::string>
writeModule(mlir::ModuleOp module, const ModuleCode &code,
            const std::vector<RemarkRecord> &remarks, llvm::StringRef source);

} // namespace hk

#endif // HK_TARGET_MODULE_MODULEWRITER_H
