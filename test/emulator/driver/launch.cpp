// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, launches and graphs.
#include "fake_cuda.h"

#include <algorithm>
#include <cctype>
#include <cstring>

using namespace hk::cuda;
using namespace hk::emulator;

namespace {

/// "sm_90a" runs on 9.0 alone, "sm_80" on 8.0 and everything newer.
bool runsOn(const std::string &target, std::pair<int, int> capability) {
  if (target.size() < 5)
    return false;
  const int number = std::atoi(target.c_str() + 3);
  const int device = capability.first * 10 + capability.second;
  return std::isdigit(static_cast<unsigned char>(target.back()))
             ? number <= device
             : number == device;
}

void writeLog(unsigned count, CUjit_option *options, void **values,
              const std::string &message) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (!buffer || !size)
    return;
  const size_t length = std::min(size - 1, message.size());
  std::memcpy(buffer, message.data(), length);
  buffer[length] = '\0';
}

std::vector<uint8_t> packParameters(const Module &module,
                                    const std::string &kernel, void **values) {
  std::vector<uint8_t> bytes;
  const std::vector<ParameterInfo> parameters = module.parameters(kernel);
  for (size_t i = 0; i < parameters.size(); ++i) {
    bytes.resize(parameters[i].offset + parameters[i].size);
    std::memcpy(bytes.data() + parameters[i].offset, values[i],
                parameters[i].size);
  }
  return bytes;
}

CUresult launchNow(CUfunction function, const LaunchConfig &config) {
  FakeDriver &driver = FakeDriver::get();
  try {
    const LaunchStatistics statistics = function->module->launch(
        function->name, config, Options::fromEnvironment());
    driver.milliseconds +=
        static_cast<double>(statistics.threadInstructions) * 1e-6;
    return CUDA_SUCCESS;
  } catch (const ModuleError &error) {
    return driver.fail(CUDA_ERROR_INVALID_VALUE, error.what());
  } catch (const std::exception &error) {
    driver.sticky = CUDA_ERROR_LAUNCH_FAILED;
    return driver.fail(CUDA_ERROR_LAUNCH_FAILED, error.what());
  }
}

} // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  FakeDriver &driver = FakeDriver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  const char *text = static_cast<const char *>(image);
  if (std::memcmp(text, "\177ELF", 4) == 0) {
    writeLog(count, options, values, "the emulator runs PTX alone, not cubins");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto result = std::make_unique<CUmod_st>();
  try {
    result->module = std::make_unique<Module>(text, driver.memory);
  } catch (const std::exception &error) {
    writeLog(count, options, values, error.what());
    return driver.fail(CUDA_ERROR_INVALID_PTX, error.what());
  }
  if (!runsOn(result->module->target(), emulatedCapability())) {
    writeLog(count, options, values,
             "PTX of target '" + result->module->target() +
                 "' does not run on the emulated device");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  *module = result.release();
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  if (!module->module->hasKernel(name))
    return CUDA_ERROR_NOT_FOUND;
  for (const auto &known : module->functions)
    if (known->name == name) {
      *function = known.get();
      return CUDA_SUCCESS;
    }
  auto result = std::make_unique<CUfunc_st>();
  result->module = module->module.get();
  result->name = name;
  *function = result.get();
  module->functions.push_back(std::move(result));
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  switch (static_cast<int>(attribute)) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = static_cast<int>(function->module->maxThreads(function->name));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value =
        static_cast<int>(function->module->staticSharedBytes(function->name));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->dynamicShared;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  switch (static_cast<int>(attribute)) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    const auto fixed =
        static_cast<int>(function->module->staticSharedBytes(function->name));
    if (value < 0 || value > emulatedSharedLimit() - fixed)
      return CUDA_ERROR_INVALID_VALUE;
    function->dynamicShared = value;
    return CUDA_SUCCESS;
  }
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *launch, CUfunction function,
                          void **parameters, void **extra) {
  FakeDriver &driver = FakeDriver::get();
  if (extra)
    return driver.fail(CUDA_ERROR_INVALID_VALUE,
                       "expects parameters one by one, but got a buffer");
  LaunchConfig config;
  config.grid = {launch->gridDimX, launch->gridDimY, launch->gridDimZ};
  config.block = {launch->blockDimX, launch->blockDimY, launch->blockDimZ};
  config.sharedBytes = launch->sharedMemBytes;
  for (unsigned i = 0; i < launch->numAttrs; ++i) {
    const auto &attribute = launch->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &cluster = attribute.value.clusterDim;
      config.cluster = {cluster.x, cluster.y, cluster.z};
    } else if (attribute.id ==
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      config.programmatic =
          attribute.value.programmaticStreamSerializationAllowed != 0;
    }
  }
  if (static_cast<int64_t>(config.sharedBytes) > function->dynamicShared)
    return driver.fail(
        CUDA_ERROR_INVALID_VALUE,
        "kernel '" + function->name + "': expects at most " +
            std::to_string(function->dynamicShared) +
            " bytes of dynamic shared memory (cuFuncSetAttribute), but got " +
            std::to_string(config.sharedBytes));
  config.parameters =
      packParameters(*function->module, function->name, parameters);
  return driver.enqueue(launch->hStream,
                        [=] { return launchNow(function, config); });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned shared, CUstream stream,
                        void **parameters, void **extra) {
  const CUlaunchConfig config{gridX,  gridY,  gridZ,  blockX,  blockY,
                              blockZ, shared, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  *status = FakeDriver::get().isCapturing(stream)
                ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  if (!stream || stream->capturing)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->capturing = true;
  stream->captured = CUgraph_st();
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  if (!stream || !stream->capturing)
    return CUDA_ERROR_INVALID_VALUE;
  stream->capturing = false;
  *graph = new CUgraph_st(std::move(stream->captured));
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return FakeDriver::get().enqueue(stream, [executable]() -> CUresult {
    for (const auto &node : executable->graph.nodes)
      if (const CUresult result = node())
        return result;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

} // extern "C"
