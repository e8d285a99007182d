// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM, set up for kernels: what is private to code generation.

#ifndef HK_LIB_TARGET_CPU_COMPILER_H
#define HK_LIB_TARGET_CPU_COMPILER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace hk {

struct Isa;

/// LLVM's optimiser and code generator for one instruction set.
class Compiler {
public:
  /// Fails where LLVM was built without the target.
  static llvm::Expected<Compiler> create(const Isa &isa);

  /// Makes `module` one of this target: triple, data layout, function
  /// attributes, and the routines that the code generator calls by itself.
  /// The functions that `isEntry` picks stay visible.
  llvm::Error prepare(llvm::Module &module,
                      llvm::function_ref<bool(llvm::StringRef)> isEntry);

  /// Runs the -O3 pipeline, without the vectorisers.
  void optimize(llvm::Module &module);

  /// Writes an object or assembly. Changes `module`.
  llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module,
                                                  llvm::CodeGenFileType type);

private:
  Compiler(const Isa &isa, std::unique_ptr<llvm::TargetMachine> machine);

  const Isa *isa;
  std::unique_ptr<llvm::TargetMachine> machine;
  /// Knows no function: a loop that sets memory stays a loop.
  llvm::TargetLibraryInfoImpl library;
};

} // namespace hk

#endif // HK_LIB_TARGET_CPU_COMPILER_H
