// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code on a GPU: a cubin, or PTX that the driver compiles.
#ifndef HK_RUNTIME_CUDA_MODULE_H
#define HK_RUNTIME_CUDA_MODULE_H

#include "cuda_driver.h"
#include "module.h"

#include <memory>

namespace hk {

class CudaDevice;

class CudaModule {
public:
  /// The section of what `load` loads first. Kernels with the same PTX may have
  /// different cubins.
  static uint32_t section(const CudaDevice &device,
                          const schema::Variant &variant);
  /// The code of a variant: its cubin for this very device, or else its PTX.
  /// The device is entered, and outlives the code. Errors: HK_MALFORMED for
  /// PTX that does not compile, with the compiler's log; HK_UNSUPPORTED for
  /// PTX newer than the driver, with both versions.
  static Status load(const CudaDevice &device, const Module &module,
                     const schema::Variant &variant,
                     std::shared_ptr<CudaModule> &code);
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;
  ~CudaModule();

  cuda::CUmodule handle() const { return handle_; }

private:
  CudaModule(const CudaDevice &device, cuda::CUmodule handle)
      : device_(device), handle_(handle) {}

  const CudaDevice &device_;
  cuda::CUmodule handle_;
};

/// The version that the ".version" directive of a PTX text states ("8.4"), or
/// "unknown".
std::string ptxVersion(std::string_view ptx);

} // namespace hk

#endif // HK_RUNTIME_CUDA_MODULE_H
