// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's assembler, where the machine has it.

#ifndef HK_TARGET_NVPTX_PTXAS_H
#define HK_TARGET_NVPTX_PTXAS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace hk {

/// The path of ptxas: what the environment variable HK_PTXAS names ("none": no
/// ptxas is used), else CUDA_HOME/bin/ptxas, else the one on PATH; empty where
/// there is none. Fails where HK_PTXAS is not a program.
llvm::Expected<std::string> findPtxas();

/// What ptxas says of a kernel.
struct KernelUsage {
  std::string kernel;
  unsigned registers = 0;
  /// Bytes a thread.
  unsigned stack = 0, spillStores = 0, spillLoads = 0;
  /// Messages with a number, such as "(C7512) Potential Performance Loss: ..".
  std::vector<std::string> advice;

  bool spills() const { return spillStores > 0 || spillLoads > 0; }
};

/// Reads what `ptxas -v` prints. The kernels are in its order. Lines of
/// other forms, and functions that are not kernels, are passed over.
std::vector<KernelUsage> readPtxasLog(llvm::StringRef log);

struct PtxasResult {
  /// Empty where this ptxas is too old for the architecture or the PTX.
  std::string cubin;
  std::string log;
};

/// Assembles `ptx` for `arch`, such as "sm_90a": all of its kernels, or those
/// of `entries`. Fails, with what ptxas printed, on PTX that it refuses.
llvm::Expected<PtxasResult> runPtxas(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     llvm::StringRef arch,
                                     llvm::ArrayRef<std::string> entries = {});

} // namespace hk

#endif // HK_TARGET_NVPTX_PTXAS_H
