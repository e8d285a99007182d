// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entry points of fake_cuda_driver share.
#ifndef HK_TEST_FAKE_CUDA_INTERNAL_H
#define HK_TEST_FAKE_CUDA_INTERNAL_H

#include "fake_cuda_driver.h"

#include <memory>
#include <mutex>

namespace hk {
namespace cuda {

// The driver's opaque types.
struct CUctx_st {};
struct CUmod_st {
  bool cubin = false;
  std::string text;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
  std::string name;
  unsigned dynamicShared = 48 * 1024;
  bool largeClusters = false;
};
struct CUstream_st {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  std::vector<test::FakeLaunch> captured;
};
struct CUevent_st {
  double time = -1;
  size_t copies = 0; // that it waits for, of all that were started
};
struct CUgraph_st {
  std::vector<test::FakeLaunch> launches;
};
struct CUgraphExec_st {
  std::vector<test::FakeLaunch> launches;
};

} // namespace cuda

namespace test {

struct Driver {
  FakeCuda state;
  std::recursive_mutex mutex;
  cuda::CUctx_st context, other;
  std::map<cuda::CUdeviceptr, size_t> memory; // address -> bytes
  double clock = 0;                           // milliseconds

  /// A copy to the host that was started: it happens as late as it may.
  struct Copy {
    void *target;
    cuda::CUdeviceptr source;
    size_t bytes;
  };
  std::vector<Copy> copies;
  size_t settled = 0; // of these
  void settle(size_t count);

  Driver() { reset(); }
  void reset();
  /// Runs a launch and records it.
  cuda::CUresult run(const FakeLaunch &launch);
};

Driver &driver();

/// Counts a call and gives the error asked for. Allocates nothing.
struct Entry {
  Entry(const char *name, bool wantsContext);
  std::lock_guard<std::recursive_mutex> lock;
  cuda::CUresult result = cuda::CUDA_SUCCESS;
};

} // namespace test
} // namespace hk

/// Entry points that want a context, and those that do not.
#define ENTER(NAME)                                                            \
  hk::test::Entry entry(#NAME, true);                                          \
  hk::test::FakeCuda &state = hk::test::driver().state;                        \
  (void)state;                                                                 \
  if (entry.result != hk::cuda::CUDA_SUCCESS)                                  \
  return entry.result
#define ENTER_ANYWHERE(NAME)                                                   \
  hk::test::Entry entry(#NAME, false);                                         \
  hk::test::FakeCuda &state = hk::test::driver().state;                        \
  (void)state;                                                                 \
  if (entry.result != hk::cuda::CUDA_SUCCESS)                                  \
  return entry.result

#endif // HK_TEST_FAKE_CUDA_INTERNAL_H
