// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hk dialect: Transformer networks on tensors. Reference: docs/reference/
// dialect.md, generated from the .td files beside this header.

#ifndef HK_DIALECT_HK_HKDIALECT_H
#define HK_DIALECT_HK_HKDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "hk/Dialect/HK/HKEnums.h.inc"

#include "hk/Dialect/HK/HKAttrInterfaces.h.inc"

#include "hk/Dialect/HK/HKDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "hk/Dialect/HK/HKAttributes.h.inc"

#include "hk/Dialect/HK/HKOpInterfaces.h.inc"

namespace hk {
/// True if every value of `from` is a value of `to`.
bool isValuePreserving(mlir::FloatType from, mlir::FloatType to);
} // namespace hk

#define GET_OP_CLASSES
#include "hk/Dialect/HK/HKOps.h.inc"

#endif // HK_DIALECT_HK_HKDIALECT_H
