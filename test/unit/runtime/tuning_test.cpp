// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of plans by measurement.
#include "tuning_fixture.h"

#include <limits>
#include <thread>

namespace hk {
namespace test {
namespace {

using namespace cuda;

TEST_F(TuningTest, TheFastestPlanThatPassesRuns) {
  open({{"slow", kSafe, 2},
        {"quick", kCandidate, 1},
        {"idle", kCandidate, 3},
        {"exact", kReference, 9}});
  EXPECT_STREQ(session_->info().plan, "slow"); // until something is measured
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  run.expectTriple();
  EXPECT_STREQ(session_->info().plan, "quick");
  EXPECT_TRUE(said("module: function 'forward', batch 2: plan 'quick' runs, in "
                   "1000.0 us: the fastest of 3 that pass, of 3"));

  const nlohmann::json tuning = report()["tunings"][0];
  EXPECT_EQ(tuning["batch"], 2);
  EXPECT_EQ(tuning["launch"], "direct");
  EXPECT_EQ(tuning["plan"], "quick");
  ASSERT_EQ(tuning["contenders"].size(), 3u);
  EXPECT_EQ(tuning["contenders"][0]["plan"], "quick");
  EXPECT_EQ(tuning["contenders"][0]["verdict"], "passed");
  EXPECT_EQ(tuning["contenders"][0]["max_error"], 0);
  EXPECT_EQ(tuning["contenders"][2]["plan"], "slow");
  EXPECT_EQ(tuning["contenders"][2]["role"], "Safe");
  EXPECT_NEAR(tuning["contenders"][2]["microseconds"], 2000, 1);
  const nlohmann::json time = tuning["choose_ms"];
  double sum = 0;
  for (const char *part : {"load", "reference", "compare", "measure"}) {
    EXPECT_GE(time[part], 0) << part;
    sum += time[part].get<double>();
  }
  EXPECT_GT(sum, 0);
  EXPECT_GE(time["total"], sum);
  EXPECT_TRUE(said("; chosen in "));
}

TEST_F(TuningTest, AChosenPlanIsLaunchedWithoutMore) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  const auto before = fakeCuda().calls;
  for (int i = 0; i < 3; ++i)
    expectOk(session_->runOnStream(run.arguments()));
  std::map<std::string, int> made;
  for (const auto &[entry, count] : fakeCuda().calls)
    if (count != before.at(entry))
      made[entry] = count - before.at(entry);
  EXPECT_EQ(made, (std::map<std::string, int>{{"cuCtxGetCurrent", 3},
                                              {"cuCtxPopCurrent_v2", 3},
                                              {"cuCtxPushCurrent_v2", 3},
                                              {"cuLaunchKernelEx", 3}}));
}

TEST_F(TuningTest, APlanThatFailsTheGateDoesNotRun) {
  open({{"slow", kSafe, 2},
        {"wrong", kCandidate, 1, 3.2f},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  // Zeros are right whatever the factor, and there is one in 16 elements.
  EXPECT_TRUE(said("plan 'wrong' is not used: fails the accuracy gate on 15 of "
                   "16 elements; the worst is output 0 at [0, 0]: expects "
                   "-4.5, but got -4.8"))
      << messages_.at(0);
  const nlohmann::json loser = report()["tunings"][0]["contenders"][0];
  EXPECT_EQ(loser["verdict"], "inaccurate");
  EXPECT_EQ(loser["microseconds"], nullptr);
  EXPECT_NEAR(loser["max_error"], 0.3, 1e-6);
}

TEST_F(TuningTest, ALittleErrorPasses) {
  open({{"slow", kSafe, 2},
        {"rough", kCandidate, 1, 3.05f},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "rough");
}

TEST_F(TuningTest, WhatIsNotWrittenFails) {
  open({{"slow", kSafe, 2}, {"lazy", kCandidate, 1}, {"exact", kReference, 9}});
  fakeCuda().kernels["lazy"].body = [](const FakeLaunch &) {};
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  EXPECT_TRUE(said("fails the accuracy gate on 16 of 16 elements"));
}

TEST_F(TuningTest, WhereNoPlanPassesTheReferenceRuns) {
  open({{"wrong", kSafe, 2, 1},
        {"worse", kCandidate, 1, -3},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "exact");
  run.expectTriple();
  EXPECT_TRUE(said("the reference plan 'exact' runs: no plan passes the "
                   "accuracy gate"));
  EXPECT_EQ(session_->info().plan_role, HK_ROLE_REFERENCE);
}

TEST_F(TuningTest, ASafePlanWinsTies) {
  open({{"slow", kSafe, 1},
        {"quick", kCandidate, 0.98},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  fakeCuda().kernels["quick"].milliseconds = 0.96;
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  EXPECT_EQ(report()["tunings"].size(), 2u);
}

TEST_F(TuningTest, TheChoiceIsOfABatch) {
  openQuickAndSlow();
  DeviceRun two(session_, 2), three(session_, 3);
  expectOk(session_->run(two.arguments()));
  fakeCuda().kernels["quick"].milliseconds = 5;
  expectOk(session_->run(three.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  expectOk(session_->run(two.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  expectOk(session_->run(three.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
}

TEST_F(TuningTest, AfterManyBatchesTheNearestDecides) {
  openQuickAndSlow();
  for (int64_t batch = 1; batch <= 64; ++batch) {
    if (batch == 64)
      fakeCuda().kernels["quick"].milliseconds = 5;
    DeviceRun run(session_, batch);
    expectOk(session_->run(run.arguments()));
  }
  DeviceRun run(session_, 70);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  EXPECT_EQ(report()["tunings"].size(), 64u);
  // Asked for, it is measured.
  fakeCuda().kernels["quick"].milliseconds = 0.5;
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  DeviceRun near(session_, 68);
  expectOk(session_->run(near.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
}

TEST_F(TuningTest, ABatchThatIsMeasuredAgainCountsOnce) {
  openQuickAndSlow();
  DeviceRun one(session_, 1), two(session_, 2);
  for (int i = 0; i < 64; ++i)
    expectOk(session_->tune(one.arguments(), HK_LAUNCH_DIRECT));
  fakeCuda().kernels["quick"].milliseconds = 5;
  expectOk(session_->run(two.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  EXPECT_EQ(report()["tunings"].size(), 65u);
  // Other ways of launching count for themselves.
  expectOk(session_->tune(two.arguments(), HK_LAUNCH_GRAPH));
  EXPECT_EQ(report()["tunings"].back()["launch"], "graph");
}

TEST_F(TuningTest, TuningCanBeOff) {
  setenv("HK_TUNE", "0", 1);
  expectOk(openCuda());
  unsetenv("HK_TUNE");
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(fakeCuda().launches.size(), 1u);
  EXPECT_EQ(lastKernel(), "slow");
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  EXPECT_EQ(fakeCuda().launches.size(), 1u);
  EXPECT_TRUE(report()["tunings"].empty());

  // The session's word comes before the environment's.
  hk_session_options options = {};
  options.tuning = HK_TUNING_ON;
  std::shared_ptr<Session> other;
  expectOk(Session::create(context_, module_, &params_, options, other));
  expectOk(other->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
}

TEST_F(TuningTest, APlanByNameIsNotLeft) {
  makeSession(tunedModule({{"slow", kSafe, 2},
                           {"quick", kCandidate, 1},
                           {"exact", kReference, 9}}),
              "slow");
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  EXPECT_EQ(fakeCuda().launches.size(), 1u);
}

TEST_F(TuningTest, WithoutAReferenceNothingIsChosen) {
  open({{"slow", kSafe, 2}, {"quick", kCandidate, 1}});
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(fakeCuda().launches.size(), 1u);
  EXPECT_EQ(lastKernel(), "slow");
}

TEST_F(TuningTest, InACaptureTheFirstPlanRuns) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  Device &device = context_->device();
  DeviceScope scope(device);
  void *stream = nullptr;
  expectOk(device.createStream(stream));
  expectOk(device.beginCapture(stream));
  expectError(session_->tune(run.arguments(stream), HK_LAUNCH_DIRECT),
              HK_INVALID_ARGUMENT,
              "expects a stream that is not being captured, for to tune is to "
              "wait, but got one that is");
  expectOk(session_->runOnStream(run.arguments(stream)));
  std::unique_ptr<CapturedGraph> graph;
  expectOk(device.endCapture(stream, true, graph));
  EXPECT_TRUE(fakeCuda().launches.empty());
  expectOk(graph->launch(stream));
  EXPECT_EQ(lastKernel(), "slow");
  // Not for good.
  expectOk(session_->runOnStream(run.arguments(stream)));
  EXPECT_EQ(lastKernel(), "quick");
  expectOk(device.destroyStream(stream));
}

TEST_F(TuningTest, WhatIsNotChosenIsFreed) {
  open({{"slow", kSafe, 2},
        {"quick", kCandidate, 1},
        {"idle", kCandidate, 3},
        {"exact", kReference, 9}});
  EXPECT_EQ(fakeCuda().liveAllocations, 1); // the parameters of one plan
  DeviceRun run(session_, 2);
  const int memory = fakeCuda().liveAllocations;
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(fakeCuda().liveAllocations, memory + 1);
  EXPECT_EQ(fakeCuda().liveEvents, 0);
  EXPECT_EQ(fakeCuda().liveGraphs, 0);
}

TEST_F(TuningTest, BorrowedParametersAreCopied) {
  std::vector<std::vector<float>> values;
  Params borrowed;
  for (const char *key :
       {"layers.0.w", "layers.0.b", "layers.1.w", "layers.1.b"}) {
    values.emplace_back(8, 1.0f);
    ParamTensor tensor;
    tensor.key = key;
    tensor.dtype = HK_DTYPE_F32;
    tensor.dtypeName = "f32";
    tensor.shape = {8};
    tensor.data = values.back().data();
    expectOk(borrowed.add(std::move(tensor)));
  }
  params_ = std::move(borrowed);
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  params_ = Params();
  values.clear();
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  const auto *packed =
      reinterpret_cast<const float *>(fakeCuda().launches.back().parameters[2]);
  EXPECT_EQ(packed[7], 1.0f);
}

TEST_F(TuningTest, APlanThatCannotBeLoadedIsPassedOver) {
  ModuleFile file = tunedModule(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  file.metadata.executables.at(4)->variants[0]->threads = 512;
  fakeCuda().kernels["quick"].maxThreads = 96;
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  EXPECT_TRUE(said("plan 'quick' is not used: module: kernel 'quick': expects "
                   "CTAs of 512 threads, but got registers for 96"));
  EXPECT_EQ(report()["tunings"][0]["contenders"][0]["verdict"], "failed");
  EXPECT_EQ(report()["tunings"][0]["contenders"][0]["max_error"], nullptr);
}

TEST_F(TuningTest, AReferenceThatCannotBeRunLeavesTheSafePlan) {
  ModuleFile file = tunedModule(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  file.metadata.executables.at(5)->variants[0]->threads = 512;
  fakeCuda().kernels["exact"].maxThreads = 96;
  makeSession(file);
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  EXPECT_TRUE(
      said("plan 'slow' runs: the reference plan cannot be run: module: "
           "kernel 'exact': expects CTAs of 512 threads"));
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(report()["tunings"].size(), 1u);
}

TEST_F(TuningTest, AKernelThatGoesWrongIsAnError) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  fakeCuda().kernels["quick"].body = [](const FakeLaunch &) {
    fakeCuda().failures["cuStreamSynchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  };
  expectError(session_->run(run.arguments()), HK_INTERNAL,
              "plan 'quick': a kernel or a copy failed: "
              "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(TuningTest, InputsMayTellNothing) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  std::fill(run.in.data.begin(), run.in.data.end(), NAN);
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  const char *reason = "expects inputs and parameters whose reference is "
                       "finite, but got 16 of 16 elements that are not, the "
                       "first output 0 at [0, 0]";
  EXPECT_TRUE(said(concat("plan 'slow' runs: ", reason)));
  EXPECT_EQ(report()["tunings"][0]["plan"], "slow");
  EXPECT_EQ(report()["tunings"][0]["reason"], reason);
  EXPECT_TRUE(report()["tunings"][0]["contenders"].empty());
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "slow");
  // Better ones come.
  std::fill(run.in.data.begin(), run.in.data.end(), 1.0f);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  // What was chosen stays.
  std::fill(run.in.data.begin(), run.in.data.end(), NAN);
  expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
}

TEST_F(TuningTest, WhatIsNotFiniteIsLeftOut) {
  // Garbage in rows that nobody reads: the others decide.
  open({{"slow", kSafe, 2},
        {"wrong", kCandidate, 0.5, 3.2f},
        {"quick", kCandidate, 1},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 4);
  std::fill(run.in.data.begin() + 8, run.in.data.begin() + 24, NAN);
  run.in.data[27] = std::numeric_limits<float>::infinity();
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "quick");
  EXPECT_TRUE(said("plan 'wrong' is not used: fails the accuracy gate on 15 of "
                   "15 elements"));
}

TEST_F(TuningTest, InputsThatNeverTellEndTheSearch) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  std::fill(run.in.data.begin(), run.in.data.end(),
            std::numeric_limits<float>::infinity());
  for (int i = 0; i < 4; ++i)
    expectOk(session_->run(run.arguments()));
  EXPECT_EQ(messages_.size(), 3u);
  const size_t launches = fakeCuda().launches.size();
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(fakeCuda().launches.size(), launches + 1);
  EXPECT_EQ(report()["tunings"].size(), 4u);
  EXPECT_EQ(report()["tunings"][3]["plan"], "slow");
}

TEST_F(TuningTest, OfLargeOutputsTheSlowAreNotCompared) {
  for (int64_t batch : {2, 2100000}) { // the second has 64.1 MiB
    open({{"slow", kSafe, 4},
          {"quick", kCandidate, 1},
          {"wrong", kCandidate, 3.5, 7},
          {"near", kCandidate, 2, 7},
          {"exact", kReference, 9}});
    DeviceRun run(session_, batch);
    expectOk(session_->run(run.arguments()));
    EXPECT_EQ(lastKernel(), "quick");
    const nlohmann::json tuning = report()["tunings"][0];
    std::map<std::string, nlohmann::json> found;
    for (const nlohmann::json &contender : tuning["contenders"])
      found[contender["plan"]] = contender;
    const bool large = batch > 2;
    EXPECT_EQ(found["wrong"]["verdict"], large ? "slower" : "inaccurate");
    EXPECT_EQ(found["near"]["verdict"], "inaccurate");
    EXPECT_EQ(found["slow"]["verdict"], large ? "slower" : "passed");
    if (large) {
      EXPECT_EQ(found["wrong"]["reason"], "takes 3500.0 us, and 'quick' "
                                          "1000.0 us; not compared");
      EXPECT_EQ(found["wrong"]["max_error"], nullptr);
      EXPECT_NEAR(found["wrong"]["microseconds"], 3500, 1);
    }
  }
}

TEST_F(TuningTest, TheWorkspaceIsEnoughForEveryPlan) {
  open({{"slow", kSafe, 2},
        {"quick", kCandidate, 1, 3, 2},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 4);
  EXPECT_GE(run.workSize, 4 * 64u);
  RunArguments small = run.arguments();
  small.workspaceSize = 64;
  expectError(session_->run(small), HK_INVALID_ARGUMENT,
              "expects a workspace of 511 bytes for a batch of 4, but got 64");
  expectError(session_->tune(small, HK_LAUNCH_DIRECT), HK_INVALID_ARGUMENT,
              "expects a workspace of 511 bytes");
  expectOk(session_->run(run.arguments()));
  EXPECT_TRUE(fakeCuda().launches.size() > 1);
}

TEST_F(TuningTest, SeveralThreadsMeasureOnce) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      DeviceRun run(session_, 2);
      expectOk(session_->run(run.arguments()));
      run.expectTriple();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(report()["tunings"].size(), 1u);
}

TEST_F(TuningTest, TheCApi) {
  open(
      {{"slow", kSafe, 2}, {"quick", kCandidate, 1}, {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  hk_session session;
  session.impl = session_;
  hk_status status = {};
  ASSERT_EQ(hk_session_tune(&session, HK_LAUNCH_DIRECT, nullptr, run.inputs, 1,
                            run.outputs.data(), 1, run.work, run.workSize,
                            &status),
            HK_OK)
      << status.message;
  char *json = nullptr;
  ASSERT_EQ(hk_session_report(&session, &json, &status), HK_OK);
  EXPECT_EQ(nlohmann::json::parse(json)["tunings"][0]["plan"], "quick");
  hk_string_free(json);
}

} // namespace
} // namespace test
} // namespace hk
