// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_library.h"

#include <cstring>
#include <dlfcn.h>

namespace hk {
namespace {

using namespace cuda;

constexpr const char *kSystemDriver = "libcuda.so.1";
/// cuLaunchKernelEx came with it.
constexpr const char *kOldestCuda = "11.8";

template <typename Function>
bool resolve(void *handle, const char *name, Function &function) {
  void *symbol = dlsym(handle, name);
  // The pedantic way from an object pointer to a function pointer.
  static_assert(sizeof(function) == sizeof(symbol));
  std::memcpy(&function, &symbol, sizeof(symbol));
  return symbol != nullptr;
}

} // namespace

Status CudaLibrary::open(const std::string &path,
                         std::shared_ptr<const CudaLibrary> &library) {
  const std::string name = path.empty() ? kSystemDriver : path;
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return error(HK_UNSUPPORTED,
                 "expects the CUDA driver, but got none: ", dlerror());
  auto opened = std::make_shared<CudaLibrary>();
  DriverFunctions &functions = opened->functions_;
#define HK_CUDA_RESOLVE(NAME, PARAMETERS)                                      \
  if (!resolve(handle, #NAME, functions.NAME))                                 \
    return error(HK_UNSUPPORTED, name, ": expects a driver for CUDA ",         \
                 kOldestCuda, " or newer, but got one without '" #NAME "'");
  HK_CUDA_DRIVER_FUNCTIONS(HK_CUDA_RESOLVE)
#undef HK_CUDA_RESOLVE
  HK_TRY(opened->check(functions.cuInit(0), "cannot initialise CUDA"));
  HK_TRY(opened->check(functions.cuDriverGetVersion(&opened->version_),
                       "cannot read the CUDA driver's version"));
  library = std::move(opened);
  return Status();
}

std::string CudaLibrary::versionName() const {
  return concat(version_ / 1000, ".", version_ % 1000 / 10);
}

std::string CudaLibrary::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (functions_.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return concat("CUDA error ", result);
  if (functions_.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
    return name;
  return concat(name, " (", text, ")");
}

hk_code CudaLibrary::codeOf(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return HK_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return HK_OUT_OF_MEMORY;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
    return HK_UNSUPPORTED;
  case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
  case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    return HK_INVALID_ARGUMENT;
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return HK_INTERNAL; // a kernel went wrong
  default:
    return HK_ENVIRONMENT;
  }
}

} // namespace hk
