// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From modules of GPU kernels in the LLVM dialect to PTX, and to cubins where
// there is a ptxas.

#ifndef HK_TARGET_NVPTX_CODEGEN_H
#define HK_TARGET_NVPTX_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace hk {

struct Arch;

struct PTXOptions {
  /// The program that assembles PTX (see Ptxas.h); empty: there is none.
  std::string ptxas;
  /// Keep the LLVM IR, as it is when the code generator gets it, as text.
  bool keepLLVMIR = false;
};

/// The code of one module of kernels.
struct PTXCode {
  /// The name of the module of kernels, such as "sm_90a".
  std::string name;
  const Arch *arch = nullptr;
  std::string ptx;
  /// The PTX, assembled for the architecture; empty where ptxas was not run.
  std::string cubin;
  /// The kernels that would spill there, by their names in the PTX, and the
  /// cubin of these with more registers; empty where none would.
  std::set<std::string> roomy;
  std::string roomyCubin;
  /// The name in the PTX of each function that has `hk.executable`: a symbol of
  /// MLIR can have characters that PTX has not, and functions with the same
  /// code have one name.
  std::map<std::string, std::string> kernels;
  std::string llvmIR;
};

/// Compiles every module of GPU kernels (`hk.isa` is an architecture) inside
/// `module`, which must be in the LLVM and NVVM dialects, in parallel on the
/// threads of the context. The results are in the order of the modules; the
/// same input gives the same PTX, and with the same ptxas the same cubin.
///
/// A kernel is an `llvm.func` with the attributes
///   hk.executable, hk.variant   the variant that it is the code of
///   hk.threads                  threads of a CTA, 1 to 1024
///   hk.shared                   bytes of dynamic shared memory (0)
///   hk.cluster                  CTAs of a cluster (1)
///   hk.min_ctas                 CTAs that must fit on a multiprocessor, which
///                               limits registers (none)
///
/// Errors are emitted at the module or the kernel. What ptxas says of registers
/// and spills is emitted as remarks of the category `ptxas`.
mlir::FailureOr<std::vector<PTXCode>>
generatePTX(mlir::ModuleOp module, const PTXOptions &options = {});

} // namespace hk

#endif // HK_TARGET_NVPTX_CODEGEN_H
