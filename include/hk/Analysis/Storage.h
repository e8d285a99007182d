// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads a view reads what it is a view of.

#ifndef HK_ANALYSIS_STORAGE_H
#define HK_ANALYSIS_STORAGE_H

#include "mlir/IR/Operation.h"

namespace hk {

/// True for views: splits, and casts that keep all values. What reads one reads
/// its operand.
bool sharesStorage(mlir::Operation *op);

/// The value whose bytes `value` shows, behind all views.
mlir::Value getStorage(mlir::Value value);

} // namespace hk

#endif // HK_ANALYSIS_STORAGE_H
