// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt without a GPU: a shared library with the entry points that the
// runtime uses, over fake_cuda_driver, where products are launches of the
// kernel "cublaslt".
#ifndef HK_TEST_FAKE_CUBLASLT_H
#define HK_TEST_FAKE_CUBLASLT_H

#include "cublaslt_api.h"
#include "fake_cuda_driver.h"

// A definition that differs from the runtime's list does not compile.
extern "C" {
#define HK_FAKE_DECLARE(NAME, PARAMETERS)                                      \
  hk::cublaslt::cublasStatus_t NAME PARAMETERS;
namespace hk {
namespace cublaslt {
HK_CUBLASLT_FUNCTIONS(HK_FAKE_DECLARE)
} // namespace cublaslt
} // namespace hk
#undef HK_FAKE_DECLARE
}

namespace hk {
namespace test {

struct FakeCublasLt {
  /// What each algorithm takes; as many are suggested.
  std::vector<double> milliseconds = {1, 1, 1, 1};
  size_t workspace = 1024; // that every algorithm wants
  /// Entry point -> the status that it returns instead of doing its work.
  std::map<std::string, cublaslt::cublasStatus_t> failures;
  std::map<std::string, int> calls;
  int live = 0; // handles, descriptions, layouts, preferences
};

FakeCublasLt &fakeCublasLt();

} // namespace test
} // namespace hk

#endif // HK_TEST_FAKE_CUBLASLT_H
