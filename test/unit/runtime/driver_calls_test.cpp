// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run asks of the driver, call by call: a launch each, nothing that
// waits or allocates, and beside them only what makes the device's context
// current.
#include "tuning_fixture.h"

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

} // namespace
} // namespace test
} // namespace hk
