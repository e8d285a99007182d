// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run asks of the driver, call by call: a launch each, nothing that
// waits or allocates, and beside them only what makes the device's context
// current.
#include "tuning_fixture.h"

#include "hk/device.h"

namespace hk {
namespace test {
namespace {

using Calls = std::map<std::string, int>;

class DriverCallsTest : public TuningTest {
protected:
  /// The calls of the driver that `run` makes.
  template <typename Run> static Calls callsOf(Run run) {
    const Calls before = fakeCuda().calls;
    run();
    Calls made;
    for (const auto &[entry, count] : fakeCuda().calls)
      if (count != before.at(entry))
        made[entry] = count - before.at(entry);
    return made;
  }
  /// The calls of three runs, in the device's context and on a thread that has
  /// none, are those.
  template <typename Run> void expectCalls(Run run, const Calls &launches) {
    auto thrice = [&run] {
      for (int i = 0; i < 3; ++i)
        run();
    };
    Calls expected = launches;
    expected["cuCtxGetCurrent"] = 3;
    {
      DeviceScope scope(context_->device());
      EXPECT_EQ(callsOf(thrice), expected);
    }
    expected["cuCtxPushCurrent_v2"] = expected["cuCtxPopCurrent_v2"] = 3;
    EXPECT_EQ(callsOf(thrice), expected);
  }

  void expectOkCode(hk_code code) { EXPECT_EQ(code, HK_OK) << status_.message; }

  hk_status status_ = {};
};

TEST_F(DriverCallsTest, ARunIsOneCallALaunch) {
  for (const auto &[plan, launches] : {std::pair("layers", 2), {"folded", 1}}) {
    makeSession(affineCudaModule(), plan);
    CudaRun run(*session_, 2);
    hk_session session;
    session.impl = session_;
    expectCalls(
        [&] {
          expectOkCode(hk_session_run_on_stream(
              &session, nullptr, run.inputs, 1, run.outputs, 1,
              run.workspace.data(), run.workspace.size(), &status_));
        },
        {{"cuLaunchKernelEx", 3 * launches}});
  }
}

TEST_F(DriverCallsTest, AChosenPlanToo) {
  open({{"one", kSafe, 4},
        {"two", kCandidate, 1, 3, 2},
        {"exact", kReference, 9}});
  DeviceRun run(session_, 2);
  expectOk(session_->runOnStream(run.arguments())); // chooses
  expectCalls([&] { expectOk(session_->runOnStream(run.arguments())); },
              {{"cuLaunchKernelEx", 6}});
}

TEST_F(DriverCallsTest, ABatchWithoutAChoiceOfItsOwnToo) {
  open({{"one", kSafe, 4},
        {"two", kCandidate, 1, 3, 2},
        {"exact", kReference, 9}});
  for (int64_t batch = 1; batch <= 64; ++batch) {
    DeviceRun run(session_, batch);
    expectOk(session_->runOnStream(run.arguments()));
  }
  DeviceRun run(session_, 100), other(session_, 101);
  expectOk(session_->runOnStream(run.arguments())); // takes that of 64
  expectOk(session_->runOnStream(other.arguments()));
  expectCalls([&] { expectOk(session_->runOnStream(run.arguments())); },
              {{"cuLaunchKernelEx", 6}});
}

TEST_F(DriverCallsTest, AGraphIsOneCall) {
  makeSession(affineCudaModule(), "layers");
  CudaRun run(*session_, 2);
  hk_session session;
  session.impl = session_;
  hk_graph *graph = nullptr;
  expectOkCode(hk_graph_create(&session, run.inputs, 1, run.outputs, 1,
                               run.workspace.data(), run.workspace.size(),
                               &graph, &status_));
  expectCalls([&] { expectOkCode(hk_graph_launch(graph, nullptr, &status_)); },
              {{"cuGraphLaunch", 3}});
  hk_graph_destroy(graph);
}

TEST_F(DriverCallsTest, ARunnerIsOneCallOrOneALaunch) {
  struct Case {
    const char *plan;
    double launchMilliseconds, graphMilliseconds;
    Calls launches;
  };
  const Case cases[] = {{"layers", 1, 0.5, {{"cuGraphLaunch", 3}}},
                        {"layers", 0, 1, {{"cuLaunchKernelEx", 6}}},
                        {"folded", 1, 0.5, {{"cuGraphLaunch", 3}}},
                        {"folded", 0, 1, {{"cuLaunchKernelEx", 3}}}};
  for (const Case &c : cases) {
    fakeCuda().launchMilliseconds = c.launchMilliseconds;
    fakeCuda().graphMilliseconds = c.graphMilliseconds;
    makeSession(affineCudaModule(), c.plan);
    CudaRun run(*session_, 2);
    hk_session session;
    session.impl = session_;
    hk_runner *runner = nullptr;
    expectOkCode(hk_runner_create(&session, nullptr, run.inputs, 1, run.outputs,
                                  1, 1, run.workspace.data(),
                                  run.workspace.size(), &runner, &status_));
    for (bool given : {false, true})
      expectCalls(
          [&] {
            expectOkCode(hk_runner_run(runner, nullptr,
                                       given ? run.inputs : nullptr, given,
                                       nullptr, &status_));
          },
          c.launches);
    hk_runner_destroy(runner);
  }
}

/// A graph and a runner that launches one, on a driver of CUDA 13.
class GraphContextTest : public DriverCallsTest {
protected:
  void SetUp() override {
    DriverCallsTest::SetUp();
    fakeCuda().graphMilliseconds = 0.5;
    fakeCuda().launchMilliseconds = 1;
    fakeCuda().driverVersion = 13000;
    expectOk(openCuda());
    makeSession(affineCudaModule(), "layers");
    run_ = std::make_unique<CudaRun>(*session_, 2);
    CudaRun &run = *run_;
    handle_.impl = context_;
    hk_session session;
    session.impl = session_;
    expectOkCode(hk_stream_create(&handle_, &stream_, &status_));
    expectOkCode(hk_graph_create(&session, run.inputs, 1, run.outputs, 1,
                                 run.workspace.data(), run.workspace.size(),
                                 &graph_, &status_));
    expectOkCode(hk_runner_create(&session, stream_, run.inputs, 1, run.outputs,
                                  1, 1, run.workspace.data(),
                                  run.workspace.size(), &runner_, &status_));
  }
  void TearDown() override {
    hk_graph_destroy(graph_);
    hk_runner_destroy(runner_);
    expectOkCode(hk_stream_destroy(&handle_, stream_, &status_));
    handle_.impl.reset();
    DriverCallsTest::TearDown();
  }

  /// Launches both onto `stream`, each with these calls and this result.
  void expectEach(void *stream, const Calls &calls, hk_code code = HK_OK) {
    EXPECT_EQ(callsOf([&] {
                EXPECT_EQ(hk_graph_launch(graph_, stream, &status_), code);
              }),
              calls);
    EXPECT_EQ(callsOf([&] {
                EXPECT_EQ(hk_runner_run(runner_, stream, run_->inputs, 1,
                                        nullptr, &status_),
                          code);
              }),
              calls);
  }

  const Calls one_ = {{"cuGraphLaunch", 1}};
  const Calls inside_ = {{"cuCtxGetCurrent", 1},
                         {"cuCtxPopCurrent_v2", 1},
                         {"cuCtxPushCurrent_v2", 1},
                         {"cuGraphLaunch", 1}};
  std::unique_ptr<CudaRun> run_;
  hk_context handle_;
  void *stream_ = nullptr;
  hk_graph *graph_ = nullptr;
  hk_runner *runner_ = nullptr;
};

TEST_F(GraphContextTest, AStreamThatWasCreatedSuffices) {
  {
    DeviceScope scope(context_->device());
    expectEach(stream_, one_);
  }
  fakeCuda().streamSuffices = true;
  expectEach(stream_, one_);
  cuCtxPushCurrent_v2(fakeOtherContext());
  expectEach(stream_, one_);
  cuda::CUcontext popped = nullptr;
  cuCtxPopCurrent_v2(&popped);
  run_->expectAffine();
}

TEST_F(GraphContextTest, ADriverThatWantsTheContextGetsIt) {
  Calls again = inside_;
  again["cuGraphLaunch"] = 2;
  expectEach(stream_, again);
  run_->expectAffine();
  EXPECT_EQ(fakeCuda().launches.back().stream, stream_);
}

TEST_F(GraphContextTest, DefaultStreamsAreThoseOfTheContext) {
  fakeCuda().streamSuffices = true;
  expectEach(nullptr, inside_);
  run_->expectAffine();
  // CU_STREAM_LEGACY and CU_STREAM_PER_THREAD, which this driver has not.
  fakeCuda().failures["cuGraphLaunch"] = cuda::CUDA_ERROR_LAUNCH_FAILED;
  Calls failing = inside_;
  failing["cuGetErrorName"] = failing["cuGetErrorString"] = 1;
  for (uintptr_t number : {1, 2})
    expectEach(reinterpret_cast<void *>(number), failing, HK_INTERNAL);
}

TEST_F(GraphContextTest, AFailureIsReported) {
  fakeCuda().streamSuffices = true;
  fakeCuda().failures["cuGraphLaunch"] = cuda::CUDA_ERROR_LAUNCH_FAILED;
  Calls once = one_;
  once["cuCtxGetCurrent"] = once["cuGetErrorName"] = once["cuGetErrorString"] =
      1;
  DeviceScope scope(context_->device());
  expectEach(stream_, once, HK_INTERNAL);
  EXPECT_STREQ(status_.message, "cannot launch a graph: "
                                "CUDA_ERROR_LAUNCH_FAILED (fake words)");
}

} // namespace
} // namespace test
} // namespace hk
