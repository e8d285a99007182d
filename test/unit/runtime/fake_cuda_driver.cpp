// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_cuda_driver.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

using namespace hk::cuda;
using namespace hk::test;

// The driver's opaque types.
struct hk::cuda::CUctx_st {};
struct hk::cuda::CUmod_st {
  bool cubin = false;
  std::string text;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct hk::cuda::CUfunc_st {
  std::string name;
  unsigned dynamicShared = 48 * 1024;
  bool largeClusters = false;
};
struct hk::cuda::CUstream_st {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  std::vector<FakeLaunch> captured;
};
struct hk::cuda::CUevent_st {
  double time = -1;
};
struct hk::cuda::CUgraph_st {
  std::vector<FakeLaunch> launches;
};
struct hk::cuda::CUgraphExec_st {
  std::vector<FakeLaunch> launches;
};

namespace {

/// out = in * w + b, by rows of 8: one CTA a row.
void affine(const FakeLaunch &launch) {
  const float *in = reinterpret_cast<const float *>(launch.parameters[0]);
  float *out = reinterpret_cast<float *>(launch.parameters[1]);
  const float *w = reinterpret_cast<const float *>(launch.parameters[2]);
  const float *b = reinterpret_cast<const float *>(launch.parameters[3]);
  for (unsigned i = 0; i < 8 * launch.grid; ++i)
    out[i] = in[i] * w[i % 8] + b[i % 8];
}

void triple(const FakeLaunch &launch) {
  const float *in = reinterpret_cast<const float *>(launch.parameters[0]);
  float *out = reinterpret_cast<float *>(launch.parameters[1]);
  for (unsigned i = 0; i < 8 * launch.grid; ++i)
    out[i] = 3 * in[i];
}

struct Driver {
  FakeCuda state;
  std::recursive_mutex mutex;
  CUctx_st context, other;
  std::map<CUdeviceptr, size_t> memory;
  double clock = 0; // milliseconds; a launch takes one

  Driver() { reset(); }

  void reset() {
    state = FakeCuda();
    state.launches.reserve(4096);
    state.kernels["affine"] = {5, affine, 1024, 0};
    state.kernels["triple"] = {3, triple, 1024, 0};
#define HK_FAKE_COUNTER(NAME, PARAMETERS) state.calls[#NAME] = 0;
    HK_CUDA_DRIVER_FUNCTIONS(HK_FAKE_COUNTER)
#undef HK_FAKE_COUNTER
    if (const char *text = std::getenv("HK_FAKE_CUDA_FAIL"))
      if (const char *colon = std::strchr(text, ':'))
        state.failures[std::string(text, colon)] = std::atoi(colon + 1);
  }

  CUresult run(const FakeLaunch &launch) {
    const auto kernel = state.kernels.find(launch.kernel);
    if (kernel == state.kernels.end())
      return CUDA_ERROR_LAUNCH_FAILED;
    state.launches.push_back(launch);
    clock += 1;
    kernel->second.body(launch);
    return CUDA_SUCCESS;
  }
};

Driver &driver() {
  static Driver instance;
  return instance;
}

thread_local std::vector<CUcontext> contexts;

/// Counts the call and gives the error asked for. Looks nothing up by a
/// std::string made for it, so that counting allocates nothing.
struct Entry {
  explicit Entry(const char *name, bool wantsContext) : lock(driver().mutex) {
    for (auto &[entry, count] : driver().state.calls)
      if (entry == name)
        ++count;
    for (const auto &[entry, failure] : driver().state.failures)
      if (entry == name)
        result = failure;
    if (result == CUDA_SUCCESS && wantsContext &&
        (contexts.empty() || contexts.back() != &driver().context))
      result = CUDA_ERROR_INVALID_CONTEXT;
  }
  std::lock_guard<std::recursive_mutex> lock;
  CUresult result = CUDA_SUCCESS;
};

bool inside(CUdeviceptr address, size_t bytes) {
  auto next = driver().memory.upper_bound(address);
  if (next == driver().memory.begin())
    return false;
  --next;
  return address + bytes <= next->first + next->second;
}

} // namespace

#define ENTER(NAME)                                                            \
  Entry entry(#NAME, true);                                                    \
  FakeCuda &state = driver().state;                                            \
  (void)state;                                                                 \
  if (entry.result != CUDA_SUCCESS)                                            \
  return entry.result
#define ENTER_ANYWHERE(NAME)                                                   \
  Entry entry(#NAME, false);                                                   \
  FakeCuda &state = driver().state;                                            \
  (void)state;                                                                 \
  if (entry.result != CUDA_SUCCESS)                                            \
  return entry.result

namespace hk {
namespace test {

FakeCuda &fakeCuda() { return driver().state; }

void resetFakeCuda() {
  if (driver().state.liveContexts != 0)
    std::abort();
  driver().reset();
}

CUcontext fakeCurrentContext() {
  return contexts.empty() ? nullptr : contexts.back();
}

CUcontext fakeOtherContext() { return &driver().other; }

} // namespace test
} // namespace hk

extern "C" {

namespace hk {
namespace cuda {

CUresult cuInit(unsigned) {
  ENTER_ANYWHERE(cuInit);
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  ENTER_ANYWHERE(cuDriverGetVersion);
  *version = state.driverVersion;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  static const std::map<CUresult, const char *> names = {
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
       "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
       "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
      {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
       "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
  };
  ENTER_ANYWHERE(cuGetErrorName);
  const auto found = names.find(error);
  if (found == names.end())
    return CUDA_ERROR_INVALID_VALUE;
  *text = found->second;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  ENTER_ANYWHERE(cuGetErrorString);
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "fake words";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  ENTER_ANYWHERE(cuDeviceGetCount);
  *count = state.deviceCount;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER_ANYWHERE(cuDeviceGet);
  if (ordinal < 0 || ordinal >= state.deviceCount)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  ENTER_ANYWHERE(cuDeviceGetName);
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  ENTER_ANYWHERE(cuDeviceGetAttribute);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state.major;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state.minor;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = state.maxShared;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  ENTER_ANYWHERE(cuDeviceTotalMem_v2);
  *bytes = size_t(1) << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  ENTER_ANYWHERE(cuDevicePrimaryCtxRetain);
  ++state.liveContexts;
  *context = &driver().context;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  ENTER_ANYWHERE(cuDevicePrimaryCtxRelease_v2);
  --state.liveContexts;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  ENTER_ANYWHERE(cuCtxGetCurrent);
  *context = fakeCurrentContext();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER_ANYWHERE(cuCtxPushCurrent_v2);
  contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  ENTER_ANYWHERE(cuCtxPopCurrent_v2);
  if (contexts.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  ENTER(cuCtxSynchronize);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned numOptions, CUjit_option *options,
                            void **values) {
  // First what fails on demand, with the log where there is room for it.
  char *log = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      room = reinterpret_cast<size_t>(values[i]);
  }
  if (log && room > 0) {
    std::strncpy(log, driver().state.log.c_str(), room - 1);
    log[room - 1] = '\0';
  }
  ENTER(cuModuleLoadDataEx);
  const char *text = static_cast<const char *>(image);
  auto created = std::make_unique<CUmod_st>();
  created->cubin = std::strncmp(text, "CUBIN ", 6) == 0;
  created->text = text;
  if (created->cubin) {
    // A cubin of these tests: "CUBIN 90", then what PTX would say.
    if (std::atoi(text + 6) != 10 * state.major + state.minor)
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
  } else {
    const char *version = std::strstr(text, ".version ");
    if (!version)
      return CUDA_ERROR_INVALID_PTX;
    const double number = std::atof(version + 9);
    if (number * 10 > state.newestPtx + 0.5)
      return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  state.images.push_back(created->cubin ? "cubin" : "ptx");
  ++state.liveModules;
  *module = created.release();
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER(cuModuleUnload);
  --state.liveModules;
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  ENTER(cuModuleGetFunction);
  if (module->text.find(std::string(".entry ") + name + "(") ==
      std::string::npos)
    return CUDA_ERROR_NOT_FOUND;
  std::unique_ptr<CUfunc_st> &slot = module->functions[name];
  if (!slot)
    slot = std::make_unique<CUfunc_st>();
  slot->name = name;
  *function = slot.get();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  ENTER(cuFuncGetAttribute);
  const FakeKernel &kernel = state.kernels[function->name];
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = kernel.maxThreads;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = kernel.staticShared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 0;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  ENTER(cuFuncSetAttribute);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    function->dynamicShared = static_cast<unsigned>(value);
  else if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    function->largeClusters = value != 0;
  else
    return CUDA_ERROR_INVALID_VALUE;
  state.attributes.push_back(function->name + " " + std::to_string(attribute) +
                             " " + std::to_string(value));
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  ENTER(cuLaunchKernelEx);
  FakeLaunch launch;
  launch.kernel = function->name.c_str();
  launch.grid = config->gridDimX;
  launch.threads = config->blockDimX;
  launch.shared = config->sharedMemBytes;
  launch.stream = config->hStream;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = attribute.value.clusterDim.x;
    else
      launch.programmatic =
          attribute.value.programmaticStreamSerializationAllowed == 1;
  }
  const auto kernel = state.kernels.find(launch.kernel);
  if (extra || config->gridDimY != 1 || config->gridDimZ != 1 ||
      config->blockDimY != 1 || config->blockDimZ != 1 || launch.grid == 0 ||
      launch.grid % launch.cluster != 0 ||
      launch.shared > function->dynamicShared ||
      (launch.cluster > 8 && !function->largeClusters) ||
      kernel == state.kernels.end())
    return CUDA_ERROR_INVALID_VALUE;
  launch.numParameters = kernel->second.numParameters;
  for (unsigned i = 0; i < launch.numParameters; ++i)
    std::memcpy(&launch.parameters[i], parameters[i], sizeof(uint64_t));
  if (config->hStream &&
      config->hStream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    config->hStream->captured.push_back(launch);
    return CUDA_SUCCESS;
  }
  return driver().run(launch);
}

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
  ENTER(cuGraphLaunch);
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
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  ENTER(cuEventSynchronize);
  return event->time < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(cuEventElapsedTime);
  *milliseconds = static_cast<float>(end->time - start->time);
  return CUDA_SUCCESS;
}

} // namespace cuda
} // namespace hk

} // extern "C"
