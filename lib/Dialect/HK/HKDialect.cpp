// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Dialect/HK/HKDialect.h"

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

LogicalResult CPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef isa, int64_t rows, int64_t mr,
                              int64_t nr, int64_t keys) {
  if (isa != "x86-64" && isa != "x86-64-v3" && isa != "x86-64-v4")
    return emitError() << "expects isa to be \"x86-64\", \"x86-64-v3\" or "
                          "\"x86-64-v4\", but got \""
                       << isa << "\"";
  for (auto [name, value] : {std::pair<StringRef, int64_t>("rows", rows),
                             {"mr", mr},
                             {"nr", nr},
                             {"keys", keys}})
    if (value < 1)
      return emitError() << "expects " << name << " to be positive, but got "
                         << value;
  return success();
}

StringRef CPUAttr::getTargetKind() const { return "cpu"; }
int64_t CPUAttr::getWorkgroupRows() const { return getRows(); }
StringRef CPUAttr::getIsaName() const { return getIsa(); }

int64_t CPUAttr::getVectorWidth() const {
  if (getIsa() == "x86-64-v4")
    return 16;
  return getIsa() == "x86-64-v3" ? 8 : 4;
}

StringRef LoopsAttr::getTargetKind() const { return "cpu"; }
int64_t LoopsAttr::getWorkgroupRows() const { return getRows(); }
StringRef LoopsAttr::getIsaName() const { return getIsa(); }

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width) {
  if (width < 1)
    return emitError() << "expects the panel width to be positive, but got "
                       << width;
  return success();
}
