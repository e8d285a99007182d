// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from variants of kernels to code.

#ifndef HK_CONVERSION_PASSES_H
#define HK_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hk {

#define GEN_PASS_DECL
#include "hk/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hk/Conversion/Passes.h.inc"

} // namespace hk

#endif // HK_CONVERSION_PASSES_H
