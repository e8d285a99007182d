// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on a CUDA device: what is launched, on which stream, and what is
// refused.
#include "cuda_fixture.h"

#include <thread>

namespace hk {
namespace test {
namespace {

using namespace cuda;

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

TEST_F(CudaTest, EveryPlanComputesTheFunction) {
  for (const char *plan : {"layers", "folded"})
    for (int64_t batch : {1, 3, 64}) {
      makeSession(affineCudaModule(), plan);
      CudaRun run(*session_, batch);
      expectOk(session_->run(run.arguments()));
      run.expectAffine();
    }
}

TEST_F(CudaTest, LaunchesAreThoseOfThePlan) {
  ModuleFile file = affineCudaModule();
  file.metadata.executables[0]->variants[1]->shared = 1024;
  makeSession(file, "layers");
  CudaRun run(*session_, 3);
  expectOk(session_->runOnStream(run.arguments()));
  ASSERT_EQ(fakeCuda().launches.size(), 2u);
  const FakeLaunch &first = fakeCuda().launches[0];
  const FakeLaunch &second = fakeCuda().launches[1];
  EXPECT_STREQ(first.kernel, "affine");
  EXPECT_EQ(first.grid, 3u);
  EXPECT_EQ(first.threads, 128u);
  EXPECT_EQ(first.shared, 1024u);
  EXPECT_EQ(first.cluster, 1u);
  EXPECT_FALSE(first.programmatic);
  EXPECT_EQ(first.stream, nullptr);
  // in, out, w, b, batch; a layer's parameters are 64 bytes after the last's.
  EXPECT_EQ(first.parameters[0], addressOf(run.in.data.data()));
  EXPECT_EQ(first.parameters[1], second.parameters[0]);
  EXPECT_EQ(first.parameters[1] % 256, 0u);
  EXPECT_GE(first.parameters[1], addressOf(run.workspace.data()));
  EXPECT_LE(first.parameters[1] + 3 * 64,
            addressOf(run.workspace.data() + run.workspace.size()));
  EXPECT_EQ(second.parameters[1], addressOf(run.out.data.data()));
  EXPECT_EQ(second.parameters[2], first.parameters[2] + 64);
  EXPECT_EQ(second.parameters[3], first.parameters[3] + 64);
  EXPECT_EQ(first.parameters[4], 3u);
}

TEST_F(CudaTest, Clusters) {
  ModuleFile file = tripleCudaModule({"sm_90a"});
  schema::VariantT &variant = *file.metadata.executables[0]->variants[0];
  variant.cluster = 4;
  *variant.grid = schema::GridDim(4, 0, 1);
  fakeCuda().kernels["triple"].body = [](const FakeLaunch &) {};
  makeSession(file);
  CudaRun run(*session_, 2);
  expectOk(session_->run(run.arguments()));
  ASSERT_EQ(fakeCuda().launches.size(), 1u);
  EXPECT_EQ(fakeCuda().launches[0].grid, 8u);
  EXPECT_EQ(fakeCuda().launches[0].cluster, 4u);
}

TEST_F(CudaTest, PersistentCtas) {
  ModuleFile file = tripleCudaModule({"sm_90a"});
  schema::VariantT &variant = *file.metadata.executables[0]->variants[0];
  variant.persistent = 2;
  variant.cluster = 4;
  *variant.grid = schema::GridDim(4, 0, 1);
  fakeCuda().multiprocessors = 5;
  fakeCuda().kernels["triple"].body = [](const FakeLaunch &) {};
  makeSession(file);
  // As many as there are items; but no more than two for each multiprocessor, in
  // whole clusters. The kernel computes its items from the batch.
  const std::pair<int64_t, unsigned> cases[] = {{1, 4}, {2, 8}, {40, 8}};
  for (auto [batch, grid] : cases) {
    CudaRun run(*session_, batch);
    expectOk(session_->run(run.arguments()));
    EXPECT_EQ(fakeCuda().launches.back().grid, grid);
    EXPECT_EQ(fakeCuda().launches.back().parameters[2], uint64_t(batch));
  }
}

/// The affine module with both dispatches marked, of code for `isa`.
ModuleFile programmaticModule(const char *isa) {
  ModuleFile file = affineCudaModule();
  file.metadata.executables[0]->variants[1]->isa = isa;
  for (auto &dispatch : file.metadata.functions[0]->plans[0]->dispatches)
    dispatch->programmatic = true;
  return file;
}

TEST_F(CudaTest, ProgrammaticLaunchesButTheFirst) {
  makeSession(programmaticModule("sm_90a"), "layers");
  CudaRun run(*session_, 3);
  // The second time as well: the first kernel comes after all of the run
  // before.
  for (int i = 0; i < 2; ++i) {
    fakeCuda().launches.clear();
    expectOk(session_->run(run.arguments()));
    run.expectAffine();
    ASSERT_EQ(fakeCuda().launches.size(), 2u);
    EXPECT_FALSE(fakeCuda().launches[0].programmatic);
    EXPECT_TRUE(fakeCuda().launches[1].programmatic);
  }
}

TEST_F(CudaTest, OlderCodeHasNoProgrammaticLaunches) {
  // Whatever the device.
  makeSession(programmaticModule("sm_80"), "layers");
  expectOk(session_->run(CudaRun(*session_, 2).arguments()));
  for (const FakeLaunch &launch : fakeCuda().launches)
    EXPECT_FALSE(launch.programmatic);
}

TEST_F(CudaTest, OlderDriversHaveNoProgrammaticLaunches) {
  fakeCuda().driverVersion = 12020;
  makeSession(programmaticModule("sm_90a"), "layers");
  expectOk(session_->run(CudaRun(*session_, 2).arguments()));
  for (const FakeLaunch &launch : fakeCuda().launches)
    EXPECT_FALSE(launch.programmatic);
}

TEST_F(CudaTest, ProgrammaticLaunchesCanBeOff) {
  setenv("HK_PDL", "0", 1);
  expectOk(openCuda());
  unsetenv("HK_PDL");
  makeSession(programmaticModule("sm_90a"), "layers");
  expectOk(session_->run(CudaRun(*session_, 2).arguments()));
  ASSERT_EQ(fakeCuda().launches.size(), 2u);
  for (const FakeLaunch &launch : fakeCuda().launches)
    EXPECT_FALSE(launch.programmatic);
}

TEST_F(CudaTest, AGridIsMadeOfWholeClusters) {
  ModuleFile file = tripleCudaModule({"sm_90a"});
  file.metadata.executables[0]->variants[0]->cluster = 2;
  makeSession(file);
  expectOk(session_->run(CudaRun(*session_, 4).arguments()));
  expectError(session_->run(CudaRun(*session_, 3).arguments()), HK_MALFORMED,
              "kernel 'triple': expects a grid of whole clusters of 2 CTAs, "
              "but got 3 CTAs for a batch of 3");
}

TEST_F(CudaTest, GridsHaveALimit) {
  makeSession(tripleCudaModule({"sm_80"}));
  uint64_t size = 1;
  expectOk(session_->workspaceSize(INT32_MAX, size));
  EXPECT_EQ(size, 0u); // no buffers, no workspace
  expectError(session_->workspaceSize(int64_t(1) << 31, size),
              HK_INVALID_ARGUMENT,
              "expects at most 2147483647 workgroups, but got a batch of "
              "2147483648");
}

TEST_F(CudaTest, ABatchOfZeroLaunchesNothing) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 0);
  expectOk(session_->run(run.arguments()));
  EXPECT_TRUE(fakeCuda().launches.empty());
}

TEST_F(CudaTest, TheStreamIsTheCallers) {
  makeSession(affineCudaModule(), "layers");
  Device &device = context_->device();
  DeviceScope scope(device);
  void *stream = nullptr;
  expectOk(device.createStream(stream));
  CudaRun run(*session_, 2);
  expectOk(session_->runOnStream(run.arguments(stream)));
  for (const FakeLaunch &launch : fakeCuda().launches)
    EXPECT_EQ(launch.stream, stream);
  run.expectAffine();
  expectOk(device.destroyStream(stream));
}

TEST_F(CudaTest, TheCallersContextIsLeftAsItWas) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  cuCtxPushCurrent_v2(fakeOtherContext());
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(fakeCurrentContext(), fakeOtherContext());
  CUcontext popped = nullptr;
  cuCtxPopCurrent_v2(&popped);
  run.expectAffine();
}

TEST_F(CudaTest, RunsAreCapturedByTheCaller) {
  makeSession(affineCudaModule(), "layers");
  Device &device = context_->device();
  DeviceScope scope(device);
  void *stream = nullptr;
  std::unique_ptr<CapturedGraph> graph;
  expectOk(device.createStream(stream));
  CudaRun run(*session_, 2);
  expectOk(device.beginCapture(stream));
  expectOk(session_->runOnStream(run.arguments(stream)));
  EXPECT_TRUE(fakeCuda().launches.empty());
  expectOk(device.endCapture(stream, true, graph));
  expectOk(graph->launch(stream));
  EXPECT_EQ(fakeCuda().launches.size(), 2u);
  run.expectAffine();
  expectOk(device.destroyStream(stream));
}

TEST_F(CudaTest, AGraphReplaysARun) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  std::unique_ptr<CapturedGraph> graph;
  std::shared_ptr<const LoadedPlan> plan;
  expectOk(session_->capture(run.arguments(), graph, plan));
  EXPECT_TRUE(fakeCuda().launches.empty());
  EXPECT_EQ(fakeCuda().liveStreams, 0);
  EXPECT_EQ(fakeCuda().liveGraphs, 1);
  DeviceScope scope(context_->device());
  for (int i = 1; i <= 3; ++i) {
    for (float &x : run.in.data)
      x += 1;
    expectOk(graph->launch(nullptr));
    EXPECT_EQ(fakeCuda().launches.size(), 2u * i);
    run.expectAffine();
  }
  fakeCuda().failures["cuGraphLaunch"] = CUDA_ERROR_LAUNCH_FAILED;
  expectError(graph->launch(nullptr), HK_INTERNAL,
              "cannot launch a graph: CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(CudaTest, CapturesThatFailLeaveNothing) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  std::unique_ptr<CapturedGraph> graph;
  std::shared_ptr<const LoadedPlan> plan;
  const std::pair<const char *, const char *> cases[] = {
      {"cuStreamCreate", "cannot create a stream"},
      {"cuStreamBeginCapture_v2", "cannot begin to capture a graph"},
      {"cuLaunchKernelEx", "kernel 'affine': cannot launch 2 CTAs"},
      {"cuStreamEndCapture", "cannot end the capture of a graph"},
      {"cuGraphInstantiateWithFlags", "cannot instantiate a graph"}};
  for (const auto &[call, message] : cases) {
    fakeCuda().failures = {
        {call, CUresult(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)}};
    expectError(session_->capture(run.arguments(), graph, plan),
                HK_INVALID_ARGUMENT, message);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(fakeCuda().liveStreams, 0);
    EXPECT_EQ(fakeCuda().liveGraphs, 0);
  }
}

TEST_F(CudaTest, AFailedLaunchNamesTheKernelAndTheShape) {
  makeSession(affineCudaModule(), "layers");
  fakeCuda().failures["cuLaunchKernelEx"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  expectError(session_->run(CudaRun(*session_, 5).arguments()), HK_ENVIRONMENT,
              "kernel 'affine': cannot launch 5 CTAs of 128 threads for a "
              "batch of 5 (clusters of 1, 0 bytes of dynamic shared memory): "
              "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (fake words)");
  fakeCuda().failures = {{"cuStreamSynchronize", CUDA_ERROR_LAUNCH_FAILED}};
  expectError(session_->run(CudaRun(*session_, 5).arguments()), HK_INTERNAL,
              "a kernel or a copy failed: CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(CudaTest, WhateverGoesWrongInAKernelIsInternal) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  // CUresult's numbers, from an illegal address to a failed launch.
  for (int error : {700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    fakeCuda().failures = {{"cuStreamSynchronize", error}};
    expectError(session_->run(run.arguments()), HK_INTERNAL,
                "a kernel or a copy failed: CUDA");
  }
  fakeCuda().failures.clear();
}

TEST_F(CudaTest, TensorsAreOnTheDevice) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  run.in.dl.device = {kDLCPU, 0};
  expectError(session_->run(run.arguments()), HK_INVALID_ARGUMENT,
              "input 0 'x': expects a tensor on GPU 0, but got device type 1");
  run.in.dl.device = {kDLCUDA, 3};
  expectError(session_->run(run.arguments()), HK_INVALID_ARGUMENT,
              "input 0 'x': expects a tensor on GPU 0, but got one on GPU 3");
  run.in.dl.device = {kDLCUDAManaged, 0};
  expectOk(session_->run(run.arguments()));
}

TEST_F(CudaTest, TensorsAreAligned) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 3);
  run.in.shape[0] = run.out.shape[0] = 2;
  run.in.dl.byte_offset = 4;
  expectError(session_->run(run.arguments()), HK_INVALID_ARGUMENT,
              "input 0 'x': expects data aligned to 16 bytes, but got an "
              "address that is not; make a copy");
  run.in.dl.byte_offset = 16;
  expectOk(session_->run(run.arguments()));
}

TEST_F(CudaTest, TheWorkspaceIsChecked) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  RunArguments arguments = run.arguments();
  --arguments.workspaceSize;
  expectError(session_->run(arguments), HK_INVALID_ARGUMENT,
              "expects a workspace of");
  arguments = run.arguments();
  arguments.workspace = run.in.data.data();
  expectError(session_->run(arguments), HK_INVALID_ARGUMENT,
              "overlaps the workspace");
}

TEST_F(CudaTest, TheCpuHasNoStreams) {
  makeContext(1);
  loadModule(affineCudaModule());
  expectOk(createSession());
  Tensor<float> in(2), out(2);
  DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
  std::vector<uint8_t> workspace(CudaRun::sizeFor(*session_, 2));
  int stream = 0;
  expectError(session_->runOnStream({inputs, 1, outputs, 1, workspace.data(),
                                     workspace.size(), &stream}),
              HK_INVALID_ARGUMENT, "expects a NULL stream for the CPU");
  std::unique_ptr<CapturedGraph> graph;
  std::shared_ptr<const LoadedPlan> plan;
  expectError(session_->capture({inputs, 1, outputs, 1, workspace.data(),
                                 workspace.size(), nullptr},
                                graph, plan),
              HK_UNSUPPORTED,
              "expects a CUDA device for streams and graphs, but got the CPU");
}

TEST_F(CudaTest, SeveralThreadsShareASession) {
  makeSession(affineCudaModule(), "layers");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < 50; ++i) {
        CudaRun run(*session_, 1 + t);
        expectOk(session_->run(run.arguments()));
        run.expectAffine();
      }
      EXPECT_EQ(fakeCurrentContext(), nullptr);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fakeCuda().launches.size(), 4 * 50 * 2u);
}

} // namespace
} // namespace test
} // namespace hk
