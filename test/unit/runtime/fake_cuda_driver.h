// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver without a GPU: a shared library with the entry points that the
// runtime uses, over the host's memory. Launches are recorded, and run by
// functions registered under the names of kernels. It fails on demand, and is
// stricter than the real one about contexts, sizes and captures.
//
// A program without this header configures it by variables:
//   HK_FAKE_CUDA_FAIL=cuLaunchKernelEx:719   that call fails with that error
//   HK_FAKE_CUDA_NAME=NAME                   what the device is called
#ifndef HK_TEST_FAKE_CUDA_DRIVER_H
#define HK_TEST_FAKE_CUDA_DRIVER_H

#include "cuda_driver.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

// A definition that differs from the runtime's list does not compile.
extern "C" {
#define HK_FAKE_DECLARE(NAME, PARAMETERS) hk::cuda::CUresult NAME PARAMETERS;
namespace hk {
namespace cuda {
HK_CUDA_DRIVER_FUNCTIONS(HK_FAKE_DECLARE)
} // namespace cuda
} // namespace hk
#undef HK_FAKE_DECLARE
}

namespace hk {
namespace test {

constexpr unsigned kMaxFakeParameters = 16;

struct FakeLaunch {
  const char *kernel = nullptr;
  unsigned grid = 0, threads = 0, shared = 0, cluster = 1;
  bool programmatic = false;
  cuda::CUstream stream = nullptr;
  unsigned numParameters = 0;
  uint64_t parameters[kMaxFakeParameters] = {};
};

struct FakeKernel {
  unsigned numParameters = 0;
  std::function<void(const FakeLaunch &launch)> body;
  int maxThreads = 1024;
  int staticShared = 0;
  double milliseconds = 1;
};

struct FakeCuda {
  // The machine.
  int driverVersion = 12040;
  int newestPtx = 84; // 10 * major + minor
  int deviceCount = 1;
  int multiprocessors = 132;
  int major = 9, minor = 0;
  int maxShared = 232448;
  std::string log; // of a PTX compiler that fails
  // What a call takes beside the kernels.
  double launchMilliseconds = 0, graphMilliseconds = 0;
  /// Whether graphs may be launched onto streams that were created in whatever
  /// context.
  bool streamSuffices = false;

  /// Entry point -> the error that it returns instead of doing its work.
  std::map<std::string, cuda::CUresult> failures;
  /// By name in the PTX. "affine" and "triple" are there from the start.
  std::map<std::string, FakeKernel> kernels;

  // What happened.
  std::vector<FakeLaunch> launches; // run, not those captured
  std::map<std::string, int> calls; // by entry point, successful or not
  std::vector<std::string> images;  // loaded: "ptx", "cubin"
  /// "kernel attribute value" for each attribute set.
  std::vector<std::string> attributes;
  int liveContexts = 0, liveModules = 0, liveAllocations = 0, liveStreams = 0,
      liveEvents = 0, liveGraphs = 0;

  int count(const std::string &entry) const { return calls.at(entry); }
};

/// While it is set, launches of kernels and graphs do nothing, at no cost, and
/// the calling thread counts as being in the device's context.
extern bool fakeIdle;

/// The state of the one driver of the process.
FakeCuda &fakeCuda();
/// Back to the start; nothing of it may be in use.
void resetFakeCuda();
/// The context of the calling thread, or null.
cuda::CUcontext fakeCurrentContext();
/// Captures a launch that another library makes, or runs it.
cuda::CUresult fakeLaunch(FakeLaunch launch, cuda::CUstream stream);
/// A context that is not that of a device.
cuda::CUcontext fakeOtherContext();

} // namespace test
} // namespace hk

#endif // HK_TEST_FAKE_CUDA_DRIVER_H
