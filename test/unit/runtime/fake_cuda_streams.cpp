// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, streams, graphs and events of fake_cuda_driver.
#include "fake_cuda_internal.h"

#include <cstdlib>
#include <cstring>

using namespace hk::cuda;
using namespace hk::test;

namespace {

/// Whether the bytes are all of one allocation.
bool inside(CUdeviceptr address, size_t bytes) {
  auto next = driver().memory.upper_bound(address);
  if (next == driver().memory.begin())
    return false;
  --next;
  return address + bytes <= next->first + next->second;
}

} // namespace

extern "C" {

namespace hk {
namespace cuda {

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  driver().memory[*address] = bytes;
  ++state.liveAllocations;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  ENTER(cuMemFree_v2);
  if (driver().memory.erase(address) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  --state.liveAllocations;
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes) {
  ENTER(cuMemcpyHtoD_v2);
  if (!inside(target, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t bytes) {
  ENTER(cuMemcpyDtoH_v2);
  if (!inside(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
  ENTER(cuMemAllocHost_v2);
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *address = std::malloc(bytes);
  ++state.liveAllocations;
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *address) {
  ENTER(cuMemFreeHost);
  --state.liveAllocations;
  std::free(address);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes,
                              CUstream stream) {
  ENTER(cuMemcpyDtoHAsync_v2);
  if (!inside(source, bytes) ||
      (stream && stream->capture != CU_STREAM_CAPTURE_STATUS_NONE))
    return CUDA_ERROR_INVALID_VALUE;
  // Whoever reads before it has come, or after another came there, shows.
  std::memset(target, 0x5a, bytes);
  driver().copies.push_back({target, source, bytes});
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t bytes,
                         CUstream stream) {
  ENTER(cuMemsetD8Async);
  if (bytes == 0 ||
      (stream && stream->capture != CU_STREAM_CAPTURE_STATUS_NONE))
    return CUDA_ERROR_INVALID_VALUE;
  driver().settle(driver().copies.size());
  std::memset(reinterpret_cast<void *>(target), value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  ENTER(cuStreamCreate);
  ++state.liveStreams;
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(cuStreamDestroy_v2);
  --state.liveStreams;
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(cuStreamSynchronize);
  if (stream && stream->capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  driver().settle(driver().copies.size());
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  ENTER(cuStreamIsCapturing);
  *status = stream ? stream->capture : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  ENTER(cuStreamBeginCapture_v2);
  if (!stream || stream->capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER(cuStreamEndCapture);
  if (!stream || stream->capture != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_ERROR_INVALID_VALUE;
  stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
  ++state.liveGraphs;
  *graph = new CUgraph_st{std::move(stream->captured)};
  stream->captured.clear();
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long) {
  ENTER(cuGraphInstantiateWithFlags);
  ++state.liveGraphs;
  *executable = new CUgraphExec_st{graph->launches};
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (fakeIdle)
    return CUDA_SUCCESS;
  Entry entry("cuGraphLaunch", !driver().state.streamSuffices || !stream);
  if (entry.result != CUDA_SUCCESS)
    return entry.result;
  FakeCuda &state = driver().state;
  driver().clock += state.graphMilliseconds;
  for (FakeLaunch launch : executable->launches) {
    launch.stream = stream;
    if (stream && stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE)
      stream->captured.push_back(launch);
    else if (CUresult result = driver().run(launch))
      return result;
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  ENTER(cuGraphExecDestroy);
  --state.liveGraphs;
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  ENTER(cuGraphDestroy);
  --state.liveGraphs;
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  ENTER(cuEventCreate);
  ++state.liveEvents;
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(cuEventDestroy_v2);
  --state.liveEvents;
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream) {
  ENTER(cuEventRecord);
  event->time = driver().clock;
  event->copies = driver().copies.size();
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  ENTER(cuEventSynchronize);
  if (event->time < 0)
    return CUDA_ERROR_INVALID_VALUE;
  driver().settle(event->copies);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(cuEventElapsedTime);
  *milliseconds = static_cast<float>(end->time - start->time);
  return CUDA_SUCCESS;
}

} // namespace cuda
} // namespace hk

} // extern "C"
