// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction sets that CPU code is made for: levels of the x86-64 ABI.

#ifndef HK_TARGET_CPU_ISA_H
#define HK_TARGET_CPU_ISA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hk {

/// A level of the x86-64 ABI. Code is made for a level and never for the
/// machine that the compiler runs on, so that a module does not depend on it.
struct Isa {
  /// Also the name of the processor model in LLVM.
  llvm::StringLiteral name;
  /// The width in bits of the vectors that the code uses.
  unsigned vectorBits;
  /// Whether there are instructions that convert between f16 and f32.
  bool convertsHalf;
};

/// The levels, best first.
llvm::ArrayRef<Isa> getIsas();

/// The level of that name, or null.
const Isa *findIsa(llvm::StringRef name);

} // namespace hk

#endif // HK_TARGET_CPU_ISA_H
