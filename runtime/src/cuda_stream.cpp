// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_stream.h"

#include "cuda_device.h"

namespace hk {
namespace {

using namespace cuda;

class CudaEvent final : public Event {
public:
  CudaEvent(const CudaDevice &device, CUevent handle)
      : device_(device), handle_(handle) {}
  ~CudaEvent() override {
    DeviceScope scope(device_);
    if (scope.status().ok())
      (void)driver().cuEventDestroy_v2(handle_);
  }

  Status record(void *stream) override {
    return device_.library().check(
        driver().cuEventRecord(handle_, static_cast<CUstream>(stream)),
        "cannot record an event");
  }

  Status elapsed(const Event &start, float &milliseconds) override {
    HK_TRY(wait());
    return device_.library().check(
        driver().cuEventElapsedTime(
            &milliseconds, static_cast<const CudaEvent &>(start).handle_,
            handle_),
        "cannot read the time between two events");
  }

  Status wait() override {
    return device_.library().check(driver().cuEventSynchronize(handle_),
                                   "cannot wait for an event");
  }

private:
  const DriverFunctions &driver() const {
    return device_.library().functions();
  }

  const CudaDevice &device_;
  CUevent handle_;
};

/// The driver that launches a graph onto a stream that was created whatever the
/// thread's current context: both say which context is theirs.
constexpr int kStreamSuffices = 13000;

/// Whether it is not one of the default streams, of which each context has its
/// own: NULL, CU_STREAM_LEGACY (1) and CU_STREAM_PER_THREAD (2).
bool wasCreated(void *stream) {
  return reinterpret_cast<uintptr_t>(stream) > 2;
}

/// After a wait the host's caches are cold, and what a launch touches is what
/// it costs: it is all here.
class CudaGraph final : public CapturedGraph {
public:
  CudaGraph(const CudaDevice &device, CUgraphExec handle)
      : launch_(device.library().functions().cuGraphLaunch), handle_(handle),
        streamSuffices_(device.library().version() >= kStreamSuffices),
        device_(device) {}
  ~CudaGraph() override {
    DeviceScope scope(device_);
    if (scope.status().ok())
      (void)device_.library().functions().cuGraphExecDestroy(handle_);
  }

  Status launch(void *stream) const override {
    if (!streamSuffices_ || !wasCreated(stream))
      return launchInside(stream);
    const CUresult result = launch_(handle_, static_cast<CUstream>(stream));
    return result == CUDA_SUCCESS ? Status() : launchAgain(stream, result);
  }

private:
  Status check(CUresult result) const {
    return device_.library().check(result, "cannot launch a graph");
  }
  Status launchInside(void *stream) const {
    DeviceScope scope(device_);
    HK_TRY(scope.status());
    return check(launch_(handle_, static_cast<CUstream>(stream)));
  }
  /// After a failure which is not one of the context, unless that is current.
  Status launchAgain(void *stream, CUresult result) const {
    DeviceScope scope(device_);
    HK_TRY(scope.status());
    if (scope.entered())
      result = launch_(handle_, static_cast<CUstream>(stream));
    return check(result);
  }

  decltype(DriverFunctions::cuGraphLaunch) launch_;
  CUgraphExec handle_;
  bool streamSuffices_;
  const CudaDevice &device_;
};

} // namespace

Status createCudaEvent(const CudaDevice &device,
                       std::unique_ptr<Event> &event) {
  CUevent handle = nullptr;
  HK_TRY(device.library().check(
      device.library().functions().cuEventCreate(&handle, CU_EVENT_DEFAULT),
      "cannot create an event"));
  event = std::make_unique<CudaEvent>(device, handle);
  return Status();
}

Status endCudaCapture(const CudaDevice &device, void *stream, bool keep,
                      std::unique_ptr<CapturedGraph> &graph) {
  const CudaLibrary &library = device.library();
  const DriverFunctions &driver = library.functions();
  CUgraph captured = nullptr;
  HK_TRY(library.check(
      driver.cuStreamEndCapture(static_cast<CUstream>(stream), &captured),
      "cannot end the capture of a graph"));
  CUgraphExec executable = nullptr;
  CUresult result = CUDA_SUCCESS;
  if (keep)
    result = driver.cuGraphInstantiateWithFlags(&executable, captured, 0);
  if (captured)
    (void)driver.cuGraphDestroy(captured);
  HK_TRY(library.check(result, "cannot instantiate a graph"));
  if (keep)
    graph = std::make_unique<CudaGraph>(device, executable);
  return Status();
}

} // namespace hk
