// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large an index can be, as far as it is known when a kernel is compiled.

#ifndef HK_LIB_CONVERSION_TILETONVVM_INDEXBOUND_H
#define HK_LIB_CONVERSION_TILETONVVM_INDEXBOUND_H

#include "mlir/IR/Value.h"

#include <optional>

namespace hk {

/// The value of a constant.
std::optional<int64_t> getConstant(mlir::Value index);

/// A number that the index never exceeds, if one is known. Indices of a kernel
/// count rows, columns and tiles: none is negative.
std::optional<int64_t> getUpperBound(mlir::Value index);

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_INDEXBOUND_H
