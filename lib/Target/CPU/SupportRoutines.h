// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few routines that LLVM's code generator calls by itself.

#ifndef HK_LIB_TARGET_CPU_SUPPORTROUTINES_H
#define HK_LIB_TARGET_CPU_SUPPORTROUTINES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace hk {

struct Isa;

/// Adds definitions of `memset`, `memcpy` and `memmove`, and of the conversions
/// between f16 and f32 where `isa` has none, to the module. They are kept alive
/// although nothing calls them yet: the calls appear with the machine code. The
/// image of a kernel can then be used without a C library.
llvm::Error addSupportRoutines(llvm::Module &module, const Isa &isa);

bool isSupportRoutine(llvm::StringRef name);

} // namespace hk

#endif // HK_LIB_TARGET_CPU_SUPPORTROUTINES_H
