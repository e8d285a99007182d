// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for kernels with the same code: layers, and plans, that compute
// the same with other parameters.

#ifndef HK_LIB_TARGET_NVPTX_SHARECODE_H
#define HK_LIB_TARGET_NVPTX_SHARECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>

namespace llvm {
class Function;
} // namespace llvm

namespace hk {

/// For each of `kernels`, the index of the first that has the same parameters,
/// attributes and code, whatever its name: its own where no earlier one has.
/// Equality is that of LLVM's MergeFunctions.
llvm::SmallVector<size_t>
findSameCode(llvm::ArrayRef<llvm::Function *> kernels);

} // namespace hk

#endif // HK_LIB_TARGET_NVPTX_SHARECODE_H
