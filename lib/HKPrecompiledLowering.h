// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers that nearly every file of the conversions includes: those of the
// compiler, and the dialects that kernels are lowered through.

#ifndef HK_PRECOMPILED_LOWERING_H
#define HK_PRECOMPILED_LOWERING_H

#include "HKPrecompiled.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

#include "hk/Dialect/Tile/TileDialect.h"

#endif // HK_PRECOMPILED_LOWERING_H
