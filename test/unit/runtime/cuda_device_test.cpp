// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening a CUDA device, and what can be wrong with the driver and the machine.
#include "cuda_fixture.h"

#include "cuda_device.h"
#include "sm.h"

namespace hk {
namespace test {
namespace {

using namespace cuda;

TEST(SmTest, ParsesArchitectures) {
  EXPECT_EQ(parseSm("sm_80")->number, 80u);
  EXPECT_FALSE(parseSm("sm_80")->exact);
  EXPECT_EQ(parseSm("sm_120")->number, 120u);
  EXPECT_EQ(parseSm("sm_90a")->number, 90u);
  EXPECT_TRUE(parseSm("sm_90a")->exact);
  for (const char *name : {"", "sm_", "sm_a", "sm_9", "sm_1000", "sm_100f",
                           "sm_9x", "sm_08", "compute_80", "x86-64"})
    EXPECT_FALSE(parseSm(name)) << name;
}

TEST(SmTest, OnlyArchitectureSpecificCodeIsTiedToOne) {
  EXPECT_TRUE(parseSm("sm_80")->runsOn(80));
  EXPECT_TRUE(parseSm("sm_80")->runsOn(120));
  EXPECT_FALSE(parseSm("sm_86")->runsOn(80));
  EXPECT_TRUE(parseSm("sm_90a")->runsOn(90));
  EXPECT_FALSE(parseSm("sm_90a")->runsOn(100));
  EXPECT_FALSE(parseSm("sm_90a")->runsOn(89));
}

TEST_F(CudaTest, TheDeviceIsDescribed) {
  expectOk(openCuda());
  hk_device_info info = {};
  context_->device().describe(info);
  EXPECT_EQ(info.kind, HK_DEVICE_CUDA);
  EXPECT_EQ(info.ordinal, 0u);
  EXPECT_STREQ(info.name, "Fake GPU");
  EXPECT_EQ(info.sm, 90u);
  EXPECT_EQ(info.driver_version, 12040u);
  EXPECT_EQ(info.multiprocessors, 132u);
  EXPECT_EQ(info.memory, uint64_t(1) << 30);
  EXPECT_EQ(fakeCuda().liveContexts, 1);
}

TEST_F(CudaTest, ThereIsNoneUnlessAskedFor) {
  makeContext(1);
  EXPECT_TRUE(context_->device().inHostMemory());
  EXPECT_EQ(fakeCuda().count("cuInit"), 0);
  hk_device_info info = {};
  context_->device().describe(info);
  EXPECT_EQ(info.kind, HK_DEVICE_CPU);
}

TEST_F(CudaTest, AutoTakesTheGpuWhereThereIsOne) {
  expectOk(openCuda(HK_DEVICE_AUTO));
  EXPECT_FALSE(context_->device().inHostMemory());
  context_.reset();
  fakeCuda().failures["cuInit"] = CUDA_ERROR_NO_DEVICE;
  expectOk(openCuda(HK_DEVICE_AUTO));
  EXPECT_TRUE(context_->device().inHostMemory());
}

TEST_F(CudaTest, UnknownKindsAreRefused) {
  expectError(openCuda(static_cast<hk_device_kind>(3)), HK_INVALID_ARGUMENT,
              "device: expects an hk_device_kind, but got 3");
}

TEST_F(CudaTest, WithoutADriver) {
  setenv("HK_CUDA_DRIVER", "/no/such/libcuda.so", 1);
  expectError(openCuda(), HK_UNSUPPORTED,
              "expects the CUDA driver, but got none: /no/such/libcuda.so");
  expectOk(openCuda(HK_DEVICE_AUTO));
  EXPECT_TRUE(context_->device().inHostMemory());
}

TEST_F(CudaTest, ALibraryThatIsNoDriver) {
  setenv("HK_CUDA_DRIVER", "libc.so.6", 1);
  expectError(openCuda(), HK_UNSUPPORTED,
              "libc.so.6: expects a driver for CUDA 11.8 or newer, but got one "
              "without 'cuInit'");
}

TEST_F(CudaTest, WithoutADevice) {
  fakeCuda().failures["cuInit"] = CUDA_ERROR_NO_DEVICE;
  expectError(openCuda(), HK_UNSUPPORTED,
              "cannot initialise CUDA: CUDA_ERROR_NO_DEVICE (fake words)");
  fakeCuda().failures.clear();
  fakeCuda().deviceCount = 2;
  expectError(openCuda(HK_DEVICE_CUDA, 2), HK_UNSUPPORTED,
              "expects a GPU 2, but got 2 GPUs in this machine");
  expectOk(openCuda(HK_DEVICE_CUDA, 1));
  hk_device_info info = {};
  context_->device().describe(info);
  EXPECT_EQ(info.ordinal, 1u);
}

TEST_F(CudaTest, EveryQueryMayFail) {
  for (const char *call :
       {"cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet",
        "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2",
        "cuDevicePrimaryCtxRetain"}) {
    fakeCuda().failures = {{call, 999}};
    expectError(openCuda(), HK_ENVIRONMENT, ": CUDA error 999");
  }
}

TEST_F(CudaTest, MemoryIsCopiedInAndOut) {
  expectOk(openCuda());
  Device &device = context_->device();
  DeviceScope scope(device);
  expectOk(scope.status());
  const std::string text = "sixteen bytes...";
  std::string back(text.size(), '\0');
  void *memory = nullptr;
  expectOk(device.allocate(text.size(), memory));
  expectOk(device.write(memory, text.data(), text.size()));
  expectOk(device.read(back.data(), memory, text.size()));
  EXPECT_EQ(back, text);
  expectError(device.write(memory, text.data(), text.size() + 1),
              HK_ENVIRONMENT, "cannot copy 17 bytes to the GPU: CUDA_ERROR_");
  expectError(device.read(back.data(), nullptr, 4), HK_ENVIRONMENT,
              "cannot copy 4 bytes from the GPU: CUDA_ERROR_INVALID_VALUE");
  expectOk(device.free(memory));
  expectError(device.free(memory), HK_ENVIRONMENT,
              "cannot free memory of the GPU: CUDA_ERROR_INVALID_VALUE");
  expectOk(device.allocate(0, memory));
  expectOk(device.free(memory));
  fakeCuda().failures["cuMemAlloc_v2"] = CUDA_ERROR_OUT_OF_MEMORY;
  expectError(device.allocate(4096, memory), HK_OUT_OF_MEMORY,
              "cannot allocate 4096 bytes on the GPU: "
              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(CudaTest, AFailedKernelShowsWhereItIsWaitedFor) {
  expectOk(openCuda());
  Device &device = context_->device();
  DeviceScope scope(device);
  fakeCuda().failures = {{"cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS},
                         {"cuCtxSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS}};
  expectError(device.synchronize(nullptr), HK_INTERNAL,
              "a kernel or a copy failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  expectError(device.synchronizeAll(), HK_INTERNAL,
              "a kernel or a copy failed: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(CudaTest, StreamsAndEventsMayFail) {
  expectOk(openCuda());
  Device &device = context_->device();
  DeviceScope scope(device);
  void *stream = nullptr;
  std::unique_ptr<Event> start, end;
  float milliseconds = 0;
  expectOk(device.createStream(stream));
  expectOk(device.createEvent(start));
  expectOk(device.createEvent(end));
  fakeCuda().failures = {{"cuStreamCreate", 1},     {"cuStreamDestroy_v2", 1},
                         {"cuEventCreate", 1},      {"cuEventRecord", 1},
                         {"cuEventSynchronize", 1}, {"cuEventElapsedTime", 1}};
  void *other = nullptr;
  std::unique_ptr<Event> event;
  expectError(device.createStream(other), HK_ENVIRONMENT,
              "cannot create a stream: CUDA_ERROR_INVALID_VALUE");
  expectError(device.destroyStream(stream), HK_ENVIRONMENT,
              "cannot destroy a stream");
  expectError(device.createEvent(event), HK_ENVIRONMENT,
              "cannot create an event");
  expectError(start->record(stream), HK_ENVIRONMENT, "cannot record an event");
  expectError(end->elapsed(*start, milliseconds), HK_ENVIRONMENT,
              "cannot wait for an event");
  fakeCuda().failures.erase("cuEventSynchronize");
  fakeCuda().failures.erase("cuEventRecord");
  expectOk(start->record(stream));
  expectOk(end->record(stream));
  expectError(end->elapsed(*start, milliseconds), HK_ENVIRONMENT,
              "cannot read the time between two events");
  fakeCuda().failures.clear();
  expectOk(device.destroyStream(stream));
}

TEST_F(CudaTest, TheContextCannotBeMadeCurrent) {
  expectOk(openCuda());
  fakeCuda().failures["cuCtxPushCurrent_v2"] = CUDA_ERROR_INVALID_CONTEXT;
  DeviceScope scope(context_->device());
  expectError(scope.status(), HK_ENVIRONMENT,
              "cannot make the GPU's context current: "
              "CUDA_ERROR_INVALID_CONTEXT");
}

} // namespace
} // namespace test
} // namespace hk
