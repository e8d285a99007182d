// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_RUNTIME_CUDA_KERNEL_H
#define HK_RUNTIME_CUDA_KERNEL_H

#include "cuda_module.h"
#include "device.h"

namespace hk {

/// The kernel of a variant in its loaded code, with the attributes set that
/// its launches need. HK_MALFORMED where there is no such kernel;
/// HK_UNSUPPORTED where the device has too few registers or too little shared
/// memory for it.
Status makeCudaKernel(const CudaDevice &device, std::string_view name,
                      const schema::Variant &variant,
                      std::shared_ptr<CudaModule> code,
                      std::unique_ptr<Kernel> &kernel);

} // namespace hk

#endif // HK_RUNTIME_CUDA_KERNEL_H
