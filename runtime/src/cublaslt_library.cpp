// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cublaslt_library.h"

#include <cstring>
#include <dlfcn.h>

namespace hk {

using namespace cublaslt;

Status CublasLt::open(const std::string &path,
                      std::shared_ptr<const CublasLt> &library) {
  if (path == "none")
    return error(HK_UNSUPPORTED, "expects cuBLASLt, but got HK_CUBLASLT=none");
  void *handle = nullptr;
  std::string name = path;
  if (!path.empty()) {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  } else {
    // One that the process has opened comes first: there is but one of a name.
    for (const char *known : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
      name = known;
      if ((handle = dlopen(known, RTLD_NOW | RTLD_LOCAL)))
        break;
    }
  }
  if (!handle)
    return error(HK_UNSUPPORTED, "expects cuBLASLt, but got none: ", dlerror());
  std::shared_ptr<CublasLt> opened(new CublasLt);
  auto resolve = [handle](const char *symbol, auto &function) {
    void *found = dlsym(handle, symbol);
    // The pedantic way from an object pointer to a function pointer.
    static_assert(sizeof(function) == sizeof(found));
    std::memcpy(&function, &found, sizeof(found));
    return found != nullptr;
  };
#define HK_CUBLASLT_RESOLVE(NAME, PARAMETERS)                                  \
  if (!resolve(#NAME, opened->functions_.NAME))                                \
    return error(HK_UNSUPPORTED, name,                                         \
                 ": expects cuBLASLt 12 or newer, but "                        \
                 "got one without '" #NAME "'");
  HK_CUBLASLT_FUNCTIONS(HK_CUBLASLT_RESOLVE)
#undef HK_CUBLASLT_RESOLVE
  HK_TRY(opened->check(opened->functions_.cublasLtCreate(&opened->handle_),
                       name, ": cannot initialise cuBLASLt"));
  library = std::move(opened);
  return Status();
}

CublasLt::~CublasLt() {
  if (handle_)
    (void)functions_.cublasLtDestroy(handle_);
}

hk_code CublasLt::codeOf(cublasStatus_t result) {
  switch (result) {
  case CUBLAS_STATUS_ALLOC_FAILED:
    return HK_OUT_OF_MEMORY;
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return HK_UNSUPPORTED;
  default:
    return HK_ENVIRONMENT;
  }
}

std::string CublasLt::nameOf(cublasStatus_t result) {
  switch (result) {
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return concat("cuBLAS status ", result);
  }
}

} // namespace hk
