// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an architecture has, from its name.

#ifndef HK_LIB_CONVERSION_TILETONVVM_TARGET_H
#define HK_LIB_CONVERSION_TILETONVVM_TARGET_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace hk {

/// A GPU architecture, such as `sm_90a`.
struct GPUTarget {
  /// 80 for sm_80, and so on.
  int sm = 80;
  /// Whether the name ends in `a`: what only this architecture has.
  bool isArchSpecific = false;

  /// Reads a name of the form `sm_<number>[a]`, of number 80 or more; no value
  /// for any other text, such as the name of a CPU's instruction set.
  static std::optional<GPUTarget> parse(llvm::StringRef name);

  bool hasBulkCopy() const { return sm >= 90; }
  /// wgmma.
  bool hasWarpgroups() const { return sm == 90 && isArchSpecific; }
  bool hasStMatrix() const { return sm >= 90; }
  /// griddepcontrol.
  bool hasGridControl() const { return sm >= 90; }
  /// mbarrier.try_wait; earlier ones spin on test_wait.
  bool hasTryWait() const { return sm >= 90; }
};

} // namespace hk

#endif // HK_LIB_CONVERSION_TILETONVVM_TARGET_H
