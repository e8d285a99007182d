// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to global memory of one lane: a run of elements beside each other,
// with or without a predicate.

#ifndef HK_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H
#define HK_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H

#include "Device.h"

namespace hk {

/// A run of `count` elements, 16 bytes at most, of `element`, as one access: the
/// address is a multiple of its size, `address` + `offset` bytes.
struct GlobalAccess {
  mlir::Type element;
  int64_t count;
  mlir::Value address;
  int64_t offset;
  /// i1: whether the access takes place; none: it does.
  mlir::Value predicate;
  /// Of a load: nothing in the kernel writes here.
  bool isInvariant = false;

  /// The elements as 32-bit words, or as one integer of 8 or 16 bits; zeros
  /// where there is no access.
  mlir::SmallVector<mlir::Value> loadWords(Device &d) const;
  void storeWords(Device &d, mlir::ValueRange words) const;

  /// The elements: scalars.
  mlir::SmallVector<mlir::Value> load(Device &d) const;
  void store(Device &d, mlir::ValueRange elements) const;
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_GLOBALACCESS_H
