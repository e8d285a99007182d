// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state behind the stand-in for the CUDA driver: one device, whose kernels
// the emulator runs at once, on the calling thread.
#ifndef HK_EMULATOR_FAKE_CUDA_H
#define HK_EMULATOR_FAKE_CUDA_H

#include "module.h"
#include "src/cuda_driver.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace hk::cuda {

struct CUfunc_st {
  emulator::Module *module = nullptr;
  std::string name;
  int dynamicShared = 48 << 10; ///< the most that a launch may ask for
};

struct CUmod_st {
  std::unique_ptr<emulator::Module> module;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

struct CUgraph_st {
  std::vector<std::function<CUresult()>> nodes;
};

struct CUgraphExec_st {
  CUgraph_st graph;
};

struct CUstream_st {
  bool capturing = false;
  CUgraph_st captured;
};

struct CUevent_st {
  bool recorded = false;
  double milliseconds = 0;
};

struct CUctx_st {};

} // namespace hk::cuda

namespace hk::emulator {

struct FakeDriver {
  static FakeDriver &get();

  /// Keeps the reason for cuGetErrorString, because a CUresult says little.
  cuda::CUresult fail(cuda::CUresult code, const std::string &message);
  /// Runs `work`, or adds it to the graph that `stream` captures.
  cuda::CUresult enqueue(cuda::CUstream stream,
                         std::function<cuda::CUresult()> work);
  /// A null stream is the default one, which cannot capture.
  bool isCapturing(cuda::CUstream stream) const {
    return stream && stream->capturing;
  }

  /// The reason of this thread's last failure.
  static thread_local std::string lastMessage;

  std::recursive_mutex mutex;
  Memory memory;
  cuda::CUctx_st context;
  /// Emulated time: a thread's instruction takes a nanosecond.
  double milliseconds = 0;
  /// After a fault every call fails, as on hardware.
  cuda::CUresult sticky = cuda::CUDA_SUCCESS;
};

/// HK_EMULATOR_SM, such as "9.0"; major then minor.
std::pair<int, int> emulatedCapability();
/// Bytes of shared memory that a CTA of that device may use.
int emulatedSharedLimit();

} // namespace hk::emulator

#endif // HK_EMULATOR_FAKE_CUDA_H
