// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"

#include "hk/Dialect/EnumKeyword.h"
#include "hk/Dialect/Strips.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hk;

#include "hk/Dialect/HK/HKDialect.cpp.inc"

#include "hk/Dialect/HK/HKEnums.cpp.inc"

#include "hk/Dialect/HK/HKAttrInterfaces.cpp.inc"

#include "hk/Dialect/HK/HKOpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "hk/Dialect/HK/HKAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "hk/Dialect/HK/HKOps.cpp.inc"

void HKDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hk/Dialect/HK/HKAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "hk/Dialect/HK/HKOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Schedules and layouts
//===----------------------------------------------------------------------===//

static LogicalResult verifyIsa(function_ref<InFlightDiagnostic()> emitError,
                               StringRef isa) {
  if (isa != "x86-64" && isa != "x86-64-v3" && isa != "x86-64-v4")
    return emitError() << "expects isa to be \"x86-64\", \"x86-64-v3\" or "
                          "\"x86-64-v4\", but got \""
                       << isa << "\"";
  return success();
}

static LogicalResult
verifyPositive(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<std::pair<StringRef, int64_t>> parameters) {
  for (auto [name, value] : parameters)
    if (value < 1)
      return emitError() << "expects " << name << " to be positive, but got "
                         << value;
  return success();
}

LogicalResult CPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef isa, int64_t rows, int64_t mr,
                              int64_t nr, int64_t keys) {
  if (failed(verifyIsa(emitError, isa)))
    return failure();
  return verifyPositive(
      emitError, {{"rows", rows}, {"mr", mr}, {"nr", nr}, {"keys", keys}});
}

StringRef CPUAttr::getTargetKind() const { return "cpu"; }
int64_t CPUAttr::getWorkgroupRows() const { return getRows(); }
StringRef CPUAttr::getIsaName() const { return getIsa(); }

int64_t CPUAttr::getVectorWidth() const {
  if (getIsa() == "x86-64-v4")
    return 16;
  return getIsa() == "x86-64-v3" ? 8 : 4;
}

LogicalResult CUDAAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef arch, int64_t rows, int64_t units,
                               int64_t columns, int64_t heads, int64_t block,
                               int64_t depth, int64_t keys, int64_t stages,
                               Operands operands, MmaKind mma, int64_t ctas,
                               int64_t rowBlocks, bool persistent) {
  if (arch != "sm_80" && arch != "sm_86" && arch != "sm_89" &&
      arch != "sm_90a" && arch != "sm_120")
    return emitError() << "expects arch to be sm_80, sm_86, sm_89, sm_90a or "
                          "sm_120, but got \""
                       << arch << "\"";
  if (columns < 0 || heads < 0)
    return emitError() << "expects columns and heads not to be negative, but "
                          "got "
                       << columns << " and " << heads;
  if (failed(verifyPositive(emitError, {{"rows", rows},
                                        {"units", units},
                                        {"block", block},
                                        {"depth", depth},
                                        {"keys", keys},
                                        {"stages", stages}})))
    return failure();
  if (rows % units != 0)
    return emitError() << "expects units to divide rows, but got " << rows
                       << " rows and " << units << " units";
  if (rowBlocks != 1 && rowBlocks != 2)
    return emitError() << "expects row_blocks of 1 or 2, but got " << rowBlocks;
  if (ctas < 0 || (ctas > 0 && mma == MmaKind::Sync))
    return emitError() << "expects ctas of 0, or more with wgmma, but got "
                       << ctas;
  if (persistent && (ctas == 0 || rowBlocks != 1))
    return emitError() << "expects ctas of 1 or more and row_blocks of 1 with "
                          "persistent, but got "
                       << ctas << " and " << rowBlocks;
  if (mma == MmaKind::Sync)
    return success();
  if (arch != "sm_90a")
    return emitError() << "expects sm_90a for wgmma, but got \"" << arch
                       << "\"";
  if (operands != Operands::F16 && operands != Operands::BF16)
    return emitError() << "expects operands of f16 or bf16 for wgmma, but got "
                       << stringifyOperands(operands);
  if (units % 4 != 0)
    return emitError() << "expects a multiple of 4 units for wgmma, but got "
                       << units;
  return success();
}

StringRef CUDAAttr::getTargetKind() const { return "cuda"; }
int64_t CUDAAttr::getWorkgroupRows() const { return getRows(); }
StringRef CUDAAttr::getIsaName() const { return getArch(); }

LogicalResult CublasLtAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Operands operands) {
  if (operands != Operands::F16)
    return emitError() << "expects operands of f16 for cuBLASLt, but got "
                       << stringifyOperands(operands);
  return success();
}

StringRef CublasLtAttr::getTargetKind() const { return "cublaslt"; }
/// The library decides. A number above any sequence: one workgroup each.
int64_t CublasLtAttr::getWorkgroupRows() const { return int64_t(1) << 40; }
StringRef CublasLtAttr::getIsaName() const { return "cublaslt"; }

LogicalResult LoopsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef isa, int64_t rows) {
  if (failed(verifyIsa(emitError, isa)))
    return failure();
  return verifyPositive(emitError, {{"rows", rows}});
}

StringRef LoopsAttr::getTargetKind() const { return "cpu"; }
int64_t LoopsAttr::getWorkgroupRows() const { return getRows(); }
StringRef LoopsAttr::getIsaName() const { return getIsa(); }

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width) {
  return verifyPositive(emitError, {{"the panel width", width}});
}

LogicalResult TilesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t columns,
                                int64_t stripRows, int64_t stripColumns) {
  if (failed(verifyPositive(emitError, {{"rows", rows}, {"columns", columns}})))
    return failure();
  if (rows % 8 != 0 || columns % 8 != 0) // (C1)
    return emitError() << "expects rows and columns that are multiples of 8, "
                          "but got "
                       << rows << " and " << columns;
  if (!areStrips(stripRows, rows) || !areStrips(stripColumns, columns)) // (C2)
    return emitError() << "expects strips of 8, 16 or 32 that divide rows and "
                          "columns, but got strips of "
                       << stripRows << " of " << rows << " rows and of "
                       << stripColumns << " of " << columns << " columns";
  return success();
}

LogicalResult
WorkspaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t offset) {
  if (offset < 0)
    return emitError() << "expects an offset that is not negative, but got "
                       << offset;
  return success();
}

LogicalResult ResultAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t index) {
  if (index < 0)
    return emitError() << "expects an index that is not negative, but got "
                       << index;
  return success();
}
