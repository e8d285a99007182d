// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM, set up for GPU kernels: what is private to code generation.

#ifndef HK_LIB_TARGET_NVPTX_COMPILER_H
#define HK_LIB_TARGET_NVPTX_COMPILER_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace hk {

struct Arch;

/// How a kernel is launched, for which its code is made.
struct LaunchBounds {
  unsigned threads;
  unsigned cluster;
  /// CTAs that must fit on a multiprocessor, or 0.
  unsigned minCTAs;
};

/// LLVM's code generator for one architecture.
class PTXCompiler {
public:
  /// Fails where LLVM was built without the target.
  static llvm::Expected<PTXCompiler> create(const Arch &arch);

  /// Makes `kernel` an entry that is launched as `bounds` say.
  static void makeEntry(llvm::Function &kernel, const LaunchBounds &bounds);

  /// Makes `module`, with its entries, one of this target. Fails where it calls
  /// what it does not define.
  llvm::Error prepare(llvm::Module &module);

  /// Takes the variables and the dead code away that the conversions leave.
  /// Nothing is moved: what is computed beside its use stays beside it.
  void clean(llvm::Module &module);

  /// Writes PTX. Changes `module`.
  llvm::Expected<std::string> emit(llvm::Module &module);

private:
  explicit PTXCompiler(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine;
  /// Knows no function: a loop that sets memory stays a loop.
  llvm::TargetLibraryInfoImpl library;
};

} // namespace hk

#endif // HK_LIB_TARGET_NVPTX_COMPILER_H
