// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine: devices, contexts, code and launches.
#include "fake_cuda_internal.h"

#include <cstdlib>
#include <cstring>

using namespace hk::cuda;
using namespace hk::test;

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

thread_local std::vector<CUcontext> contexts;

} // namespace

namespace hk {
namespace test {

bool fakeIdle = false;

void Driver::reset() {
  state = FakeCuda();
  state.launches.reserve(4096);
  copies.clear();
  settled = 0;
  state.kernels["affine"] = {5, affine};
  state.kernels["triple"] = {3, triple};
#define HK_FAKE_COUNTER(NAME, PARAMETERS) state.calls[#NAME] = 0;
  HK_CUDA_DRIVER_FUNCTIONS(HK_FAKE_COUNTER)
#undef HK_FAKE_COUNTER
  if (const char *text = std::getenv("HK_FAKE_CUDA_FAIL"))
    if (const char *colon = std::strchr(text, ':'))
      state.failures[std::string(text, colon)] = std::atoi(colon + 1);
}

void Driver::settle(size_t count) {
  for (; settled < count; ++settled)
    std::memcpy(copies[settled].target,
                reinterpret_cast<const void *>(copies[settled].source),
                copies[settled].bytes);
}

CUresult Driver::run(const FakeLaunch &launch) {
  settle(copies.size());
  const auto kernel = state.kernels.find(launch.kernel);
  if (kernel == state.kernels.end())
    return CUDA_ERROR_LAUNCH_FAILED;
  state.launches.push_back(launch);
  clock += kernel->second.milliseconds;
  kernel->second.body(launch);
  return CUDA_SUCCESS;
}

Driver &driver() {
  static Driver instance;
  return instance;
}

// Looks nothing up by a std::string made for it.
Entry::Entry(const char *name, bool wantsContext) : lock(driver().mutex) {
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

FakeCuda &fakeCuda() { return driver().state; }

void resetFakeCuda() {
  if (driver().state.liveContexts != 0)
    std::abort();
  driver().reset();
}

CUcontext fakeCurrentContext() {
  return contexts.empty() ? nullptr : contexts.back();
}

CUresult fakeLaunch(FakeLaunch launch, CUstream stream) {
  std::lock_guard<std::recursive_mutex> lock(driver().mutex);
  launch.stream = stream;
  if (stream && stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    stream->captured.push_back(launch);
    return CUDA_SUCCESS;
  }
  driver().clock += driver().state.launchMilliseconds;
  return driver().run(launch);
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
  const char *wanted = std::getenv("HK_FAKE_CUDA_NAME");
  std::strncpy(name, wanted ? wanted : "Fake GPU", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  ENTER_ANYWHERE(cuDeviceGetAttribute);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = state.multiprocessors;
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
  if (fakeIdle) {
    *context = &driver().context;
    return CUDA_SUCCESS;
  }
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
  if (fakeIdle)
    return CUDA_SUCCESS;
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
  return fakeLaunch(launch, config->hStream);
}

} // namespace cuda
} // namespace hk

} // extern "C"
