// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on networks: from layers to executables and plans.

#ifndef HK_TRANSFORMS_PASSES_H
#define HK_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace hk {

#define GEN_PASS_DECL
#include "hk/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "hk/Transforms/Passes.h.inc"

} // namespace hk

#endif // HK_TRANSFORMS_PASSES_H
