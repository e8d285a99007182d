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

class CudaGraph final : public CapturedGraph {
public:
  CudaGraph(const CudaDevice &device, CUgraphExec handle)
      : device_(device), handle_(handle) {}
  ~CudaGraph() override {
    DeviceScope scope(device_);
    if (scope.status().ok())
      (void)device_.library().functions().cuGraphExecDestroy(handle_);
  }

  Status launch(void *stream) const override {
    return device_.library().check(device_.library().functions().cuGraphLaunch(
                                       handle_, static_cast<CUstream>(stream)),
                                   "cannot launch a graph");
  }

private:
  const CudaDevice &device_;
  CUgraphExec handle_;
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
