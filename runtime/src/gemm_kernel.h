// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_GEMM_KERNEL_H
#define HK_RUNTIME_GEMM_KERNEL_H

#include "cublaslt_library.h"
#include "device.h"

namespace hk {

/// Scratch that a launch of cuBLASLt may use, part of a run's workspace, so
/// that runs of several threads do not share it.
constexpr uint64_t kGemmScratch = uint64_t(32) << 20;

/// How many of the library's suggestions are tried.
constexpr uint32_t kGemmAlgorithms = 4;

/// A matrix product by cuBLASLt. `algorithm`: which of the library's own
/// suggestions for a batch, the best first; it is asked when a batch is first
/// launched. A launch is HK_UNSUPPORTED where there are not so many.
std::unique_ptr<Kernel> makeGemmKernel(std::shared_ptr<const CublasLt> library,
                                       std::string_view name,
                                       const schema::Gemm &gemm,
                                       uint32_t algorithm);

} // namespace hk

#endif // HK_RUNTIME_GEMM_KERNEL_H
