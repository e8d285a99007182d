// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device, its context and memory, streams and events.
#include "fake_cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace hk::cuda;
using namespace hk::emulator;

namespace hk::emulator {

FakeDriver &FakeDriver::get() {
  static FakeDriver driver;
  return driver;
}

thread_local std::string FakeDriver::lastMessage;

CUresult FakeDriver::fail(CUresult code, const std::string &message) {
  lastMessage = message;
  return code;
}

CUresult FakeDriver::enqueue(CUstream stream, std::function<CUresult()> work) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (sticky != CUDA_SUCCESS)
    return sticky;
  if (isCapturing(stream)) {
    stream->captured.nodes.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  return work();
}

std::pair<int, int> emulatedCapability() {
  const char *text = std::getenv("HK_EMULATOR_SM");
  int major = 9, minor = 0;
  if (text && std::sscanf(text, "%d.%d", &major, &minor) != 2) {
    major = 9;
    minor = 0;
  }
  return {major, minor};
}

int emulatedSharedLimit() {
  const auto [major, minor] = emulatedCapability();
  if (major == 8)
    return (minor == 0 || minor == 7 ? 163 : 99) << 10;
  return (major == 12 ? 99 : 227) << 10;
}

} // namespace hk::emulator

namespace {

thread_local std::vector<CUcontext> contexts;

const char *errorName(CUresult error) {
  switch (error) {
  case CUDA_SUCCESS:
    return "CUDA_SUCCESS";
  case CUDA_ERROR_INVALID_VALUE:
    return "CUDA_ERROR_INVALID_VALUE";
  case CUDA_ERROR_OUT_OF_MEMORY:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case CUDA_ERROR_INVALID_IMAGE:
    return "CUDA_ERROR_INVALID_IMAGE";
  case CUDA_ERROR_INVALID_PTX:
    return "CUDA_ERROR_INVALID_PTX";
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "CUDA_ERROR_NO_BINARY_FOR_GPU";
  case CUDA_ERROR_INVALID_DEVICE:
    return "CUDA_ERROR_INVALID_DEVICE";
  case CUDA_ERROR_NOT_FOUND:
    return "CUDA_ERROR_NOT_FOUND";
  case CUDA_ERROR_LAUNCH_FAILED:
    return "CUDA_ERROR_LAUNCH_FAILED";
  case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
  default:
    return "CUDA_ERROR_UNKNOWN";
  }
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = errorName(error);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const std::string &message = FakeDriver::lastMessage;
  *text = error == CUDA_SUCCESS ? "no error"
          : message.empty()     ? "the emulator refuses this call"
                                : message.c_str();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::snprintf(name, static_cast<size_t>(size), "hk emulator");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  switch (static_cast<int>(attribute)) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = emulatedCapability().first;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = emulatedCapability().second;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 4;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = emulatedSharedLimit();
    return CUDA_SUCCESS;
  case 1: // threads in a block
    *value = 1024;
    return CUDA_SUCCESS;
  case 10: // lanes of a warp
    *value = 32;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  *bytes = FakeDriver::get().memory.capacity;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = &FakeDriver::get().context;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (contexts.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  contexts.assign(1, context);
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return FakeDriver::get().sticky; }

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *address = FakeDriver::get().memory.allocate(bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return !address || FakeDriver::get().memory.free(address)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *address = std::malloc(bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *address) {
  std::free(address);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes) {
  FakeDriver &driver = FakeDriver::get();
  if (bytes && !driver.memory.write(target, source, bytes))
    return driver.fail(CUDA_ERROR_INVALID_VALUE,
                       "expects a copy into one allocation");
  return driver.sticky;
}

CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t bytes) {
  FakeDriver &driver = FakeDriver::get();
  if (bytes && !driver.memory.read(source, target, bytes))
    return driver.fail(CUDA_ERROR_INVALID_VALUE,
                       "expects a copy from one allocation");
  return driver.sticky;
}

// A copy on a stream reads and writes host memory when it runs.
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source,
                              size_t bytes, CUstream stream) {
  return FakeDriver::get().enqueue(
      stream, [=] { return cuMemcpyHtoD_v2(target, source, bytes); });
}

CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes,
                              CUstream stream) {
  return FakeDriver::get().enqueue(
      stream, [=] { return cuMemcpyDtoH_v2(target, source, bytes); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source,
                              size_t bytes, CUstream stream) {
  return FakeDriver::get().enqueue(stream, [=] {
    std::vector<char> data(bytes);
    const CUresult result = cuMemcpyDtoH_v2(data.data(), source, bytes);
    return result == CUDA_SUCCESS ? cuMemcpyHtoD_v2(target, data.data(), bytes)
                                  : result;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t bytes,
                         CUstream stream) {
  return FakeDriver::get().enqueue(stream, [=] {
    const std::vector<unsigned char> data(bytes, value);
    return cuMemcpyHtoD_v2(target, data.data(), bytes);
  });
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  FakeDriver &driver = FakeDriver::get();
  return driver.isCapturing(stream) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                    : driver.sticky;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return FakeDriver::get().enqueue(stream, [event] {
    event->recorded = true;
    event->milliseconds = FakeDriver::get().milliseconds;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent) { return FakeDriver::get().sticky; }

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  if (!start->recorded || !end->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return CUDA_SUCCESS;
}

} // extern "C"
