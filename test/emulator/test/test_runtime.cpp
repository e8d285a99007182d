// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole runtime on the emulated device: a module's CUDA plan, packed
// parameters, buffers, streams and graphs, against float64.
#include "session_fixture.h"

#include <cmath>
#include <cstdlib>

using namespace hk;
using namespace hk::test;

namespace {

class EmulatedRuntime : public SessionTest {
protected:
  void SetUp() override {
    SessionTest::SetUp();
    setenv("HK_CUDA_DRIVER", HK_EMULATED_CUDA, 1);
    // Both stricter than a GPU.
    setenv("HK_EMULATOR_LAZY", "1", 1);
    setenv("HK_EMULATOR_RACES", "1", 1);
    hk_context_options options = {};
    options.threads = 1;
    options.device = HK_DEVICE_CUDA;
    expectOk(Context::create(options, context_));
    loadModule(affineCudaModule());
    expectOk(createSession());
  }
  void TearDown() override {
    session_.reset();
    context_.reset();
    for (const char *name :
         {"HK_CUDA_DRIVER", "HK_EMULATOR_LAZY", "HK_EMULATOR_RACES"})
      unsetenv(name);
  }
};

TEST_F(EmulatedRuntime, NamesItsDevice) {
  hk_device_info info = {};
  context_->device().describe(info);
  EXPECT_EQ(info.kind, HK_DEVICE_CUDA);
  EXPECT_STREQ(info.name, "hk emulator");
}

TEST_F(EmulatedRuntime, RunsAPlan) {
  Device &device = context_->device();
  const DeviceScope scope(device);
  const int64_t batch = 5;
  Tensor<float> in(batch), out(batch, NAN);
  for (size_t i = 0; i < in.data.size(); ++i)
    in.data[i] = 0.125f * static_cast<float>(i % 37) - 1.5f;
  uint64_t workspaceSize = 0;
  expectOk(session_->workspaceSize(batch, workspaceSize));
  const uint64_t bytes = in.data.size() * sizeof(float);
  void *x = nullptr, *y = nullptr, *workspace = nullptr, *stream = nullptr;
  expectOk(device.allocate(bytes, x));
  expectOk(device.allocate(bytes, y));
  expectOk(device.allocate(workspaceSize ? workspaceSize : 1, workspace));
  expectOk(device.createStream(stream));
  expectOk(device.write(x, in.data.data(), bytes));
  in.dl.data = x;
  out.dl.data = y;
  in.dl.device = out.dl.device = {kDLCUDA, 0};
  DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
  const RunArguments arguments{inputs,        1,     outputs, 1, workspace,
                               workspaceSize, stream};
  const auto check = [&] {
    std::fill(out.data.begin(), out.data.end(), NAN);
    expectOk(device.read(out.data.data(), y, bytes));
    for (size_t i = 0; i < out.data.size(); ++i) {
      const double expected = affineResult(static_cast<double>(in.data[i]),
                                           static_cast<int>(i % 8));
      ASSERT_NEAR(static_cast<double>(out.data[i]), expected,
                  1e-5 * (1 + std::fabs(expected)))
          << i;
    }
  };
  expectOk(session_->run(arguments));
  expectOk(device.synchronize(stream));
  check();

  // Captured on one input, replayed on another.
  std::shared_ptr<const LoadedPlan> plan;
  std::unique_ptr<CapturedGraph> graph;
  expectOk(session_->capture(arguments, graph, plan));
  for (float &value : in.data)
    value += 1;
  expectOk(device.write(x, in.data.data(), bytes));
  expectOk(graph->launch(stream));
  expectOk(device.synchronize(stream));
  check();

  expectOk(device.destroyStream(stream));
  for (void *buffer : {x, y, workspace})
    expectOk(device.free(buffer));
}

} // namespace
