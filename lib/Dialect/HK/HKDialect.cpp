// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"

#include "EnumKeyword.h"

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
