// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runners: how they launch, and what they write where.
#include "tuning_fixture.h"

#include "runner.h"

namespace hk {
namespace test {
namespace {

using namespace cuda;

class RunnerTest : public TuningTest {
protected:
  void open(double launchMilliseconds, double graphMilliseconds) {
    TuningTest::open({{"one", kSafe, 4},
                      {"two", kCandidate, 1, 3, 2},
                      {"exact", kReference, 9}});
    fakeCuda().launchMilliseconds = launchMilliseconds;
    fakeCuda().graphMilliseconds = graphMilliseconds;
  }
  std::unique_ptr<Runner> makeRunner(DeviceRun &run) {
    std::unique_ptr<Runner> runner;
    expectOk(Runner::create(session_, run.arguments(), run.numSets, runner));
    return runner;
  }
};

TEST_F(RunnerTest, AGraphIsKeptWhereItIsFaster) {
  open(1, 0.5);
  DeviceRun run(session_, 2, 2);
  std::unique_ptr<Runner> runner = makeRunner(run);
  const hk_runner_info info = runner->info();
  EXPECT_STREQ(info.plan, "two");
  EXPECT_EQ(info.mode, HK_LAUNCH_GRAPH);
  EXPECT_EQ(info.num_sets, 2u);
  EXPECT_NEAR(info.direct_microseconds, 4000, 1);
  EXPECT_NEAR(info.graph_microseconds, 2500, 1);
  const int before = fakeCuda().count("cuGraphLaunch");
  uint32_t set = 9;
  for (uint32_t i = 0; i < 4; ++i) {
    run.in.data[0] = static_cast<float>(i);
    expectOk(runner->run(nullptr, nullptr, 0, set));
    EXPECT_EQ(set, i % 2);
    run.expectTriple(set);
    // The last result is still there.
    if (i > 0) {
      EXPECT_EQ(run.result(1 - set)[0], 3.0f * (i - 1));
    }
  }
  EXPECT_EQ(fakeCuda().count("cuGraphLaunch"), before + 4);
}

TEST_F(RunnerTest, GraphsWinTies) {
  // 2 ms and 2.05.
  open(0, 0.05);
  DeviceRun run(session_, 2);
  EXPECT_EQ(makeRunner(run)->info().mode, HK_LAUNCH_GRAPH);
}

TEST_F(RunnerTest, AGraphIsDroppedWhereItIsSlower) {
  open(0, 0.1);
  DeviceRun run(session_, 2, 2);
  std::unique_ptr<Runner> runner = makeRunner(run);
  EXPECT_EQ(runner->info().mode, HK_LAUNCH_DIRECT);
  EXPECT_EQ(fakeCuda().liveGraphs, 0);
  const int before = fakeCuda().count("cuGraphLaunch");
  uint32_t set = 9;
  for (uint32_t i = 0; i < 3; ++i) {
    expectOk(runner->run(nullptr, run.inputs, 1, set));
    EXPECT_EQ(set, i % 2);
    run.expectTriple(set);
  }
  EXPECT_EQ(fakeCuda().count("cuGraphLaunch"), before);
  EXPECT_EQ(lastKernel(), "two");
}

TEST_F(RunnerTest, APlanOfOneLaunchIsAGraphToo) {
  open(0.05, 0.01);
  fakeCuda().kernels["one"].milliseconds = 0.1;
  fakeCuda().kernels["two"].milliseconds = 9;
  DeviceRun run(session_, 2);
  std::unique_ptr<Runner> runner = makeRunner(run);
  EXPECT_STREQ(runner->info().plan, "one");
  EXPECT_EQ(runner->info().mode, HK_LAUNCH_GRAPH);
  EXPECT_NEAR(runner->info().direct_microseconds, 150, 1);
  EXPECT_NEAR(runner->info().graph_microseconds, 110, 1);
  EXPECT_EQ(report()["tunings"][0]["launch"], "graph");
  // It was chosen by its time as a graph.
  EXPECT_NEAR(report()["tunings"][0]["contenders"][1]["microseconds"], 110, 1);
}

TEST_F(RunnerTest, OtherInputsAreLaunchedDirectly) {
  open(1, 0.5);
  DeviceRun run(session_, 2), other(session_, 2), more(session_, 3);
  std::unique_ptr<Runner> runner = makeRunner(run);
  ASSERT_EQ(runner->info().mode, HK_LAUNCH_GRAPH);
  const int before = fakeCuda().count("cuGraphLaunch");
  uint32_t set = 9;
  other.in.data[3] = 42;
  expectOk(runner->run(nullptr, other.inputs, 1, set));
  EXPECT_EQ(run.result()[3], 126.0f);
  EXPECT_EQ(fakeCuda().count("cuGraphLaunch"), before);
  EXPECT_EQ(lastKernel(), "two");
  // The same place by another way.
  DLTensor shifted = run.in.dl;
  shifted.data = run.in.data.data() - 4;
  shifted.byte_offset = 16;
  DLTensor *inputs[] = {&shifted};
  expectOk(runner->run(nullptr, inputs, 1, set));
  EXPECT_EQ(fakeCuda().count("cuGraphLaunch"), before + 1);
  expectError(
      runner->run(nullptr, more.inputs, 1, set), HK_INVALID_ARGUMENT,
      "output 0 'y': expects the batch of the tensors before it, 3, but "
      "got 2");
  expectError(runner->run(nullptr, more.inputs, 0, set), HK_INVALID_ARGUMENT,
              "expects 1 inputs and 1 outputs, but got 0 and 1");
}

TEST_F(RunnerTest, ProgrammaticLaunchesAreCaptured) {
  ModuleFile file = tunedModule({{"two", kCandidate, 1, 3, 2}});
  file.metadata.functions[0]->plans[0]->dispatches[1]->programmatic = true;
  file.metadata.executables.back()->variants[0]->isa = "sm_90a";
  makeSession(file);
  fakeCuda().launchMilliseconds = 1;
  DeviceRun run(session_, 2);
  std::unique_ptr<Runner> runner = makeRunner(run);
  ASSERT_EQ(runner->info().mode, HK_LAUNCH_GRAPH);
  fakeCuda().launches.clear();
  uint32_t set;
  expectOk(runner->run(nullptr, nullptr, 0, set));
  ASSERT_EQ(fakeCuda().launches.size(), 2u);
  EXPECT_FALSE(fakeCuda().launches[0].programmatic);
  EXPECT_TRUE(fakeCuda().launches[1].programmatic);
}

TEST_F(RunnerTest, WhatIsWrongIsSaidAtTheCreation) {
  open(1, 0.5);
  DeviceRun run(session_, 2, 2);
  std::unique_ptr<Runner> runner;
  for (uint32_t sets : {0, 9})
    expectError(Runner::create(session_, run.arguments(), sets, runner),
                HK_INVALID_ARGUMENT,
                concat("expects 1 to 8 sets of outputs, but got ", sets));
  RunArguments arguments = run.arguments();
  arguments.workspaceSize = 10;
  expectError(Runner::create(session_, arguments, 2, runner),
              HK_INVALID_ARGUMENT, "set 0: expects a workspace of");
  DLTensor *outputs[] = {&run.outs[0], nullptr};
  arguments = run.arguments();
  arguments.outputs = outputs;
  expectError(Runner::create(session_, arguments, 2, runner),
              HK_INVALID_ARGUMENT,
              "set 1: output 0 'y': expects a tensor, but got NULL");
  EXPECT_EQ(runner, nullptr);
  makeContext(1);
  loadModule(affineModule());
  expectOk(createSession());
  expectError(Runner::create(session_, arguments, 1, runner), HK_UNSUPPORTED,
              "expects a CUDA device for runners, but got the CPU");
}

TEST_F(RunnerTest, ARunnerKeepsWhatItNeeds) {
  open(1, 0.5);
  DeviceRun run(session_, 2);
  hk_session session;
  session.impl = session_;
  hk_runner *runner = nullptr;
  hk_status status = {};
  ASSERT_EQ(hk_runner_create(&session, nullptr, run.inputs, 1,
                             run.outputs.data(), 1, 1, run.work, run.workSize,
                             &runner, &status),
            HK_OK)
      << status.message;
  session.impl.reset();
  hk_runner_info info = {};
  hk_runner_get_info(runner, &info);
  EXPECT_STREQ(info.plan, "two");
  uint32_t set = 7;
  EXPECT_EQ(hk_runner_run(runner, nullptr, nullptr, 0, &set, &status), HK_OK);
  EXPECT_EQ(set, 0u);
  EXPECT_EQ(hk_runner_run(runner, nullptr, nullptr, 0, nullptr, nullptr),
            HK_OK);
  run.expectTriple();
  hk_runner_destroy(runner);
  hk_runner_destroy(nullptr);
}

TEST_F(RunnerTest, AnEmptyBatchLaunchesNothing) {
  open(1, 0.5);
  DeviceRun run(session_, 0);
  std::unique_ptr<Runner> runner = makeRunner(run);
  uint32_t set = 7;
  expectOk(runner->run(nullptr, nullptr, 0, set));
  EXPECT_EQ(set, 0u);
  EXPECT_TRUE(fakeCuda().launches.empty());
}

} // namespace
} // namespace test
} // namespace hk
