// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a kernel share a loop nest. Element-wise operations are
// not stored on their way to the one that uses them, and follow a linear
// operation in its registers.

#ifndef HK_LIB_CONVERSION_HKTOVECTOR_KERNELGROUPS_H
#define HK_LIB_CONVERSION_HKTOVECTOR_KERNELGROUPS_H

#include "hk/Dialect/HK/HKDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hk {

/// Operations that are emitted together: `root` is the one whose result is
/// stored, `core` the linear operation whose result it is computed from in
/// registers (the root itself where nothing follows it; null where the group
/// is a norm, an attention or element-wise alone).
struct KernelGroup {
  mlir::Operation *root;
  LinearOp core;
};

class KernelGroups {
public:
  explicit KernelGroups(VariantOp variant);

  /// Of the variant: its operands are the results.
  mlir::Operation *yield;
  /// In the order they run.
  llvm::SmallVector<KernelGroup> groups;

  /// True if the value is computed where it is used, and has no place.
  bool isInline(mlir::Value value) const { return inlined.contains(value); }
  /// The group after which the place of `value` may be used again.
  unsigned lastUse(mlir::Value value) const { return lastUses.lookup(value); }
  /// The result that the value is stored to, or -1.
  int resultIndex(mlir::Value value) const;

private:
  void noteUses(mlir::Value value, unsigned group);

  llvm::DenseSet<mlir::Value> inlined;
  llvm::DenseMap<mlir::Value, unsigned> lastUses;
};

/// True for operations on elements: activation, add, mul, mask_rows, cast.
bool isElementwise(mlir::Operation *op);

} // namespace hk

#endif // HK_LIB_CONVERSION_HKTOVECTOR_KERNELGROUPS_H
