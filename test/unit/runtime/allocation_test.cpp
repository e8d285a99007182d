// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run allocates nothing. Every allocation of this binary is counted.
#include "count_allocations.h"
#include "runner.h"
#include "tuning_fixture.h"

namespace hk {
namespace test {
namespace {

TEST_F(SessionTest, ARunAllocatesNothing) {
  loadModule(affineModule());
  for (uint32_t threads : {1, 3}) {
    makeContext(threads);
    expectOk(createSession());
    Tensor<float> in(16, 1.0f), out(16);
    uint64_t size = 0;
    expectOk(session_->workspaceSize(16, size));
    std::vector<uint8_t> workspace(size);
    DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
    bool ok = true;
    const uint64_t before = allocations.load();
    for (int i = 0; i < 10; ++i)
      ok &= session_->run({inputs, 1, outputs, 1, workspace.data(), size}).ok();
    EXPECT_EQ(allocations.load() - before, 0u);
    EXPECT_TRUE(ok);
  }
}

TEST_F(CudaTest, ARunAllocatesNothing) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  const RunArguments arguments = run.arguments();
  bool ok = true;
  const uint64_t before = allocations.load();
  for (int i = 0; i < 10; ++i) {
    DeviceScope scope(context_->device()); // once in, the driver allocates
    ok &= session_->runOnStream(arguments).ok();
  }
  // The list of contexts that the driver keeps for the thread.
  EXPECT_LE(allocations.load() - before, 1u);
  EXPECT_TRUE(ok);
}

TEST_F(TuningTest, ARunOfAChosenPlanAllocatesNothing) {
  open({{"slow", kSafe, 4},
        {"quick", kCandidate, 1, 3, 2},
        {"exact", kReference, 9}});
  for (double launch : {0, 1}) {
    fakeCuda().launchMilliseconds = launch;
    fakeCuda().graphMilliseconds = 1 - launch;
    DeviceRun run(session_, 2, 2);
    const RunArguments arguments = run.arguments();
    expectOk(session_->runOnStream(arguments));
    std::unique_ptr<Runner> runner;
    expectOk(Runner::create(session_, arguments, 2, runner));
    EXPECT_EQ(runner->info().mode,
              launch > 0 ? HK_LAUNCH_GRAPH : HK_LAUNCH_DIRECT);
    DeviceScope scope(context_->device()); // once in, the driver allocates
    bool ok = true;
    uint32_t set = 0;
    const uint64_t before = allocations.load();
    for (int i = 0; i < 10; ++i) {
      ok &= session_->runOnStream(arguments).ok();
      ok &= runner->run(nullptr, nullptr, 0, set).ok();
      ok &= runner->run(nullptr, run.inputs, 1, set).ok();
    }
    EXPECT_EQ(allocations.load() - before, 0u);
    EXPECT_TRUE(ok);
  }
}

} // namespace
} // namespace test
} // namespace hk
