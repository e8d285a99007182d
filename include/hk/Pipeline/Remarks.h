// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks of the passes: collected for the module file, printed for people and
// for tools.

#ifndef HK_PIPELINE_REMARKS_H
#define HK_PIPELINE_REMARKS_H

#include "hk/Target/Module/ModuleWriter.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace llvm {
class Regex;
class raw_ostream;
} // namespace llvm

namespace hk {

/// Has every remark that a pass emits in `context` appended to `remarks`,
/// which must outlive the context.
mlir::LogicalResult collectRemarks(mlir::MLIRContext &context,
                                   std::vector<RemarkRecord> &remarks);

/// One line a remark: "file:line:column: remark: passed: message [pass]".
void printRemarksAsText(const std::vector<RemarkRecord> &remarks,
                        llvm::Regex &passFilter, llvm::raw_ostream &os);

/// One YAML document a remark, as opt-viewer and its like read them.
void printRemarksAsYaml(const std::vector<RemarkRecord> &remarks,
                        llvm::Regex &passFilter, llvm::raw_ostream &os);

} // namespace hk

#endif // HK_PIPELINE_REMARKS_H
