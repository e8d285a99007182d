// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt, opened at run time where a module offers it work.
#ifndef HK_RUNTIME_CUBLASLT_LIBRARY_H
#define HK_RUNTIME_CUBLASLT_LIBRARY_H

#include "cublaslt_api.h"
#include "status.h"

#include <memory>

namespace hk {

/// The entry points and a handle for the thread's current context. Thread-safe.
class CublasLt {
public:
  /// `path`: a library, "none", or empty for the system's. HK_UNSUPPORTED where
  /// there is none, or not a whole one.
  static Status open(const std::string &path,
                     std::shared_ptr<const CublasLt> &library);
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;
  /// In the same context. The library itself stays.
  ~CublasLt();

  const cublaslt::Functions &functions() const { return functions_; }
  cublaslt::cublasLtHandle_t handle() const { return handle_; }

  /// The status of a call; `what` says what failed.
  template <typename... Args>
  Status check(cublaslt::cublasStatus_t result, const Args &...what) const {
    if (result == cublaslt::CUBLAS_STATUS_SUCCESS)
      return Status();
    return error(codeOf(result), what..., ": ", nameOf(result));
  }

private:
  CublasLt() = default;
  static hk_code codeOf(cublaslt::cublasStatus_t result);
  static std::string nameOf(cublaslt::cublasStatus_t result);

  cublaslt::Functions functions_;
  cublaslt::cublasLtHandle_t handle_ = nullptr;
};

} // namespace hk

#endif // HK_RUNTIME_CUBLASLT_LIBRARY_H
