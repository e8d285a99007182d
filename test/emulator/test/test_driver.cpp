// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in for the CUDA driver, opened as the runtime opens a driver.
#include "harness.h"
#include "src/cuda_driver.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace hk::cuda;

namespace {

class Driver : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(HK_EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    // Every function that the runtime uses is there.
#define HK_LOAD(NAME, PARAMETERS)                                              \
  cu.NAME = reinterpret_cast<CUresult(*) PARAMETERS>(dlsym(library, #NAME));   \
  ASSERT_NE(cu.NAME, nullptr) << #NAME;
    HK_CUDA_DRIVER_FUNCTIONS(HK_LOAD)
#undef HK_LOAD
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  }

  CUresult load(const std::string &ptx, CUmodule &module, std::string &log) {
    char buffer[512] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {buffer, reinterpret_cast<void *>(sizeof(buffer))};
    const CUresult result =
        cu.cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
    log = buffer;
    return result;
  }

  void *library = nullptr;
  DriverFunctions cu;
};

/// Adds the thread's number to 32 words.
const char *const kAdd =
    ".version 7.0\n.target sm_80\n.entry add(.param .u64 p, .param .u32 n) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u32 %r3, [n]; mov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"
    "ld.global.u32 %r1, [%d2]; mad.lo.u32 %r2, %r0, %r3, %r1;\n"
    "st.global.u32 [%d2], %r2; ret; }\n";

TEST_F(Driver, DeviceLooksLikeOne) {
  int count = 0, major = 0, minor = 0;
  CUdevice device = -1;
  char name[64];
  EXPECT_EQ(cu.cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cu.cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(cu.cuDeviceGet(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuDeviceGetName(name, sizeof(name), device), CUDA_SUCCESS);
  EXPECT_STREQ(name, "hk emulator");
  setenv("HK_EMULATOR_SM", "8.6", 1);
  cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                          device);
  cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                          device);
  unsetenv("HK_EMULATOR_SM");
  EXPECT_EQ(major, 8);
  EXPECT_EQ(minor, 6);
  const char *text = nullptr;
  EXPECT_EQ(cu.cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_INVALID_PTX");
}

TEST_F(Driver, ModulesThatDoNotLoad) {
  CUmodule module = nullptr;
  std::string log;
  EXPECT_EQ(load(".version 8.0\n.target sm_80\nnonsense", module, log),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(log.find("line 3: "), std::string::npos) << log;
  EXPECT_EQ(load("\177ELF", module, log), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("PTX alone"), std::string::npos) << log;
  EXPECT_EQ(
      load(".version 8.0\n.target sm_100a\n.entry k() { ret; }", module, log),
      CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("'sm_100a'"), std::string::npos) << log;
}

TEST_F(Driver, LaunchesGraphsAndEvents) {
  CUmodule module = nullptr;
  std::string log;
  ASSERT_EQ(load(kAdd, module, log), CUDA_SUCCESS) << log;
  CUfunction function = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&function, module, "absent"),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cu.cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  ASSERT_EQ(cu.cuMemAlloc_v2(&data, 128), CUDA_SUCCESS);
  std::vector<uint32_t> words(32, 1);
  ASSERT_EQ(cu.cuMemcpyHtoD_v2(data, words.data(), 128), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUevent start = nullptr, end = nullptr;
  cu.cuEventCreate(&start, 0);
  cu.cuEventCreate(&end, 0);
  uint32_t factor = 2;
  void *parameters[] = {&data, &factor};
  const CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, stream, nullptr, 0};
  cu.cuEventRecord(start, stream);
  ASSERT_EQ(cu.cuLaunchKernelEx(&config, function, parameters, nullptr),
            CUDA_SUCCESS);
  cu.cuEventRecord(end, stream);
  float milliseconds = 0;
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
  const auto check = [&](uint32_t times) {
    ASSERT_EQ(cu.cuMemcpyDtoH_v2(words.data(), data, 128), CUDA_SUCCESS);
    for (uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(words[i], 1 + times * 2 * i);
  };
  check(1);
  // A captured launch keeps the parameters it was given, and runs when told.
  ASSERT_EQ(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cu.cuStreamIsCapturing(stream, &status);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.cuStreamSynchronize(stream),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_EQ(cu.cuLaunchKernelEx(&config, function, parameters, nullptr),
            CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(cu.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  check(1);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(cu.cuGraphInstantiateWithFlags(&executable, graph, 0),
            CUDA_SUCCESS);
  factor = 99;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(cu.cuGraphLaunch(executable, stream), CUDA_SUCCESS);
  check(4);
  cu.cuGraphExecDestroy(executable);
  cu.cuGraphDestroy(graph);
  // More shared memory than was asked for.
  CUlaunchConfig large = config;
  large.sharedMemBytes = 60 << 10;
  EXPECT_EQ(cu.cuLaunchKernelEx(&large, function, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cu.cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300 << 10),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cu.cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60 << 10),
      CUDA_SUCCESS);
  EXPECT_EQ(cu.cuLaunchKernelEx(&large, function, parameters, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree_v2(data + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemcpyHtoD_v2(data + 64, words.data(), 128),
            CUDA_ERROR_INVALID_VALUE);
  // A kernel that starts early has to wait; tried in a process of its own.
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig early = config;
  early.attrs = &attribute;
  early.numAttrs = 1;
  EXPECT_EXIT(std::_Exit(cu.cuLaunchKernelEx(&early, function, parameters,
                                             nullptr)),
              testing::ExitedWithCode(CUDA_ERROR_LAUNCH_FAILED & 255), "");
  // A fault sticks, as on hardware: this test comes to its end with it.
  data += 4;
  EXPECT_EQ(cu.cuLaunchKernelEx(&config, function, parameters, nullptr),
            CUDA_ERROR_LAUNCH_FAILED);
  const char *text = nullptr;
  cu.cuGetErrorString(CUDA_ERROR_LAUNCH_FAILED, &text);
  EXPECT_NE(std::string(text).find("thread 31: expects an access inside"),
            std::string::npos)
      << text;
  EXPECT_EQ(cu.cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  cu.cuEventDestroy_v2(start);
  cu.cuEventDestroy_v2(end);
  cu.cuStreamDestroy_v2(stream);
  EXPECT_EQ(cu.cuMemFree_v2(data - 4), CUDA_SUCCESS);
  cu.cuModuleUnload(module);
}

} // namespace
