// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver, opened at run time.
#ifndef HK_RUNTIME_CUDA_LIBRARY_H
#define HK_RUNTIME_CUDA_LIBRARY_H

#include "cuda_driver.h"
#include "status.h"

#include <memory>
#include <string>

namespace hk {

/// The driver's entry points, after cuInit. It is never closed: the driver
/// does not survive that.
class CudaLibrary {
public:
  /// `path` empty: the system's driver. HK_UNSUPPORTED where there is none, it
  /// is too old, or it finds no device.
  static Status open(const std::string &path,
                     std::shared_ptr<const CudaLibrary> &library);

  const cuda::DriverFunctions &functions() const { return functions_; }
  /// The newest CUDA that the driver speaks: 1000 * major + 10 * minor.
  int version() const { return version_; }
  /// "12.4"
  std::string versionName() const;

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
  std::string describe(cuda::CUresult result) const;

  /// The error of a call that did not succeed: "what: the driver's words".
  template <typename... Args>
  Status fail(cuda::CUresult result, const Args &...what) const {
    return error(codeOf(result), what..., ": ", describe(result));
  }
  /// The status of a call; `what` is text alone, so that success costs nothing.
  Status check(cuda::CUresult result, const char *what) const {
    return result == cuda::CUDA_SUCCESS ? Status() : fail(result, what);
  }

  static hk_code codeOf(cuda::CUresult result);

private:
  cuda::DriverFunctions functions_;
  int version_ = 0;
};

} // namespace hk

#endif // HK_RUNTIME_CUDA_LIBRARY_H
