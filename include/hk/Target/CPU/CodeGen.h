// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From modules of CPU kernels in the LLVM dialect to machine code.

#ifndef HK_TARGET_CPU_CODEGEN_H
#define HK_TARGET_CPU_CODEGEN_H

#include "hk/Target/CPU/Image.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallVector.h"

namespace hk {

struct Isa;

/// How far code generation goes, and what is kept of the way.
struct CodeGenOptions {
  /// Keep the optimised LLVM IR as text.
  bool keepLLVMIR = false;
  /// Keep the assembly. It costs a second run of the code generator.
  bool keepAssembly = false;
  /// Keep the relocatable ELF object.
  bool keepObject = false;
};

/// The code of one module of kernels.
struct KernelCode {
  /// The name of the module of kernels, such as "x86-64-v4".
  std::string name;
  const Isa *isa = nullptr;
  Image image;
  std::string llvmIR;
  std::string assembly;
  llvm::SmallVector<char, 0> object;
};

/// Compiles every module of kernels (a module with the attribute `hk.isa`) that
/// is not for a GPU inside `module`, which must be in the LLVM dialect, in
/// parallel on the threads of the context. The results are in the order of the
/// modules, and the same input gives the same bytes. Errors are emitted at the
/// module.
mlir::FailureOr<std::vector<KernelCode>>
generateCode(mlir::ModuleOp module, const CodeGenOptions &options = {});

} // namespace hk

#endif // HK_TARGET_CPU_CODEGEN_H
