// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run costs the host beside the driver: calls of the C API on a driver
// that does nothing. Prints nanoseconds for each call: in a row, the least of
// many rounds; and cold, of calls each of which finds nothing in the core's
// caches, as after a long wait. Fails where a run allocates.
//
//   hk_host_time [CALLS]
#include "c_api.h"
#include "count_allocations.h"
#include "fake_cuda_driver.h"
#include "module_builder.h"
#include "safetensors_builder.h"
#include "test_paths.h"

#include "hk/device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

namespace hk {
namespace test {
namespace {

constexpr unsigned kRounds = 30;
constexpr unsigned kColdCalls = 201;
/// More than a core's own caches hold.
constexpr size_t kCacheBytes = size_t(16) << 20;

void check(hk_code code, const hk_status &status) {
  if (code == HK_OK)
    return;
  std::fprintf(stderr, "hk_host_time: %s\n", status.message);
  std::exit(1);
}

/// Plans of 1 and of 13 launches of a kernel with four buffers and two packed
/// values, of x and a mask, as layers of a network have them.
ModuleFile networkModule() {
  ModuleFile file = affineCudaModule();
  schema::FunctionT &forward = *file.metadata.functions[0];
  forward.inputs.push_back(value("valid", schema::DType::I1, {-1, 8}));
  auto &variants = file.metadata.executables[0]->variants;
  variants.back()->isa = "sm_90a";
  variants.back()->cluster = 2;
  variants.back()->grid_times = 2;
  forward.plans.clear();
  forward.oracle = -1;
  for (unsigned launches : {1, 13}) {
    auto made = plan(launches == 1 ? "one" : "thirteen", 0,
                     schema::Role::Candidate, {});
    made->workspace_per_sequence = 128;
    for (unsigned i = 0; i < launches; ++i) {
      made->dispatches.push_back(
          dispatch(0, static_cast<int32_t>(i % 2),
                   {i == 0 ? input(0) : workspace(64), input(1), workspace(0),
                    i + 1 < launches ? workspace(64) : result(0)}));
      made->dispatches.back()->programmatic = i > 0;
    }
    forward.plans.push_back(std::move(made));
  }
  return file;
}

class HostTime {
  using Clock = std::chrono::steady_clock;

public:
  explicit HostTime(unsigned calls) : calls_(calls) {
    resetFakeCuda();
    fakeCuda().driverVersion = 13000;
    fakeCuda().kernels["affine"].body = [](const FakeLaunch &) {};
    setenv("HK_CUDA_DRIVER", HK_FAKE_CUDA_DRIVER, 1);
    hk_context_options options = {};
    options.struct_size = sizeof(options);
    options.threads = 1;
    options.device = HK_DEVICE_CUDA;
    check(hk_context_create(&options, &context_, &status_), status_);
    const Bytes bytes = networkModule().bytes();
    check(hk_module_load_memory(bytes.data(), bytes.size(), &module_, &status_),
          status_);
    TemporaryFile checkpoint(affineCheckpoint());
    check(hk_params_open(checkpoint.path(), &params_, &status_), status_);
    for (DLTensor *tensor : {&x_, &valid_, &y_}) {
      *tensor = {};
      tensor->device = {kDLCUDA, 0};
      tensor->dtype = {kDLFloat, 32, 1};
      tensor->ndim = 2;
      tensor->shape = shape_;
      tensor->data = allocate(64 * 8 * sizeof(float));
    }
    valid_.dtype = {kDLBool, 8, 1};
    check(hk_stream_create(context_, &stream_, &status_), status_);
  }

  bool run() {
    std::printf("%-34s %9s %9s %9s %8s\n", "host time, ns", "a call",
                "a launch", "cold", "allocs");
    // A caller with a GPU of its own has the context already.
    DeviceScope scope(context_->impl->device());
    measurePlan("one", 1);
    measurePlan("thirteen", 13);
    return allocated_ == 0;
  }

private:
  void *allocate(size_t size) {
    DeviceScope scope(context_->impl->device());
    void *memory = nullptr;
    if (!context_->impl->device().allocate(size, memory).ok())
      std::exit(1);
    return memory;
  }

  static double nanosecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start)
        .count();
  }

  /// The lower quartile, as there may be other users of the machine, of calls
  /// that find the caches full of something else.
  double measureCold(const std::function<hk_code()> &call, bool &ok) {
    for (unsigned i = 0; i < kColdCalls; ++i) {
      for (size_t byte = 0; byte < rubbish_.size(); byte += 64)
        ++rubbish_[byte];
      (void)Clock::now(); // whose own code and data are not the call's
      const auto start = Clock::now();
      ok &= call() == HK_OK;
      cold_[i] = nanosecondsSince(start);
    }
    std::sort(cold_.begin(), cold_.end());
    return cold_[kColdCalls / 4];
  }

  void measure(const std::string &what, unsigned launches,
               const std::function<hk_code()> &call) {
    fakeIdle = true;
    double least = 1e9;
    const uint64_t before = allocations.load();
    bool ok = true;
    for (unsigned round = 0; round < kRounds; ++round) {
      const auto start = Clock::now();
      for (unsigned i = 0; i < calls_; ++i)
        ok &= call() == HK_OK;
      least = std::min(least, nanosecondsSince(start) / calls_);
    }
    const double cold = measureCold(call, ok);
    const uint64_t made = allocations.load() - before;
    fakeIdle = false;
    if (!ok)
      check(HK_INTERNAL, status_);
    allocated_ += made;
    std::printf("%-34s %9.0f %9.0f %9.0f %8llu\n", what.c_str(), least,
                least / launches, cold, static_cast<unsigned long long>(made));
  }

  void measurePlan(const std::string &plan, unsigned launches) {
    hk_session_options options = {};
    options.struct_size = sizeof(options);
    options.plan = plan.c_str();
    hk_session *session = nullptr;
    check(hk_session_create(context_, module_, params_, &options, &session,
                            &status_),
          status_);
    size_t size = 0;
    check(hk_session_workspace_size(session, 64, &size, &status_), status_);
    void *workspace = allocate(size);
    DLTensor *inputs[] = {&x_, &valid_}, *outputs[] = {&y_};
    measure(plan + ", hk_session_run_on_stream", launches, [&] {
      return hk_session_run_on_stream(session, stream_, inputs, 2, outputs, 1,
                                      workspace, size, &status_);
    });
    hk_graph *graph = nullptr;
    check(hk_graph_create(session, inputs, 2, outputs, 1, workspace, size,
                          &graph, &status_),
          status_);
    measure(plan + ", hk_graph_launch", 1,
            [&] { return hk_graph_launch(graph, stream_, &status_); });
    hk_graph_destroy(graph);
    for (const double graph : {-1e-3, 1e3}) {
      fakeCuda().launchMilliseconds = graph < 0 ? 1 : 0;
      fakeCuda().graphMilliseconds = graph;
      hk_runner *runner = nullptr;
      check(hk_runner_create(session, nullptr, inputs, 2, outputs, 1, 1,
                             workspace, size, &runner, &status_),
            status_);
      hk_runner_info info = {};
      hk_runner_get_info(runner, &info);
      const bool isGraph = info.mode == HK_LAUNCH_GRAPH;
      measure(plan + (isGraph ? ", runner, graph" : ", runner, direct"),
              isGraph ? 1 : launches, [&] {
                return hk_runner_run(runner, stream_, nullptr, 0, nullptr,
                                     &status_);
              });
      hk_runner_destroy(runner);
    }
    hk_session_destroy(session);
  }

  unsigned calls_;
  std::vector<char> rubbish_ = std::vector<char>(kCacheBytes);
  std::vector<double> cold_ = std::vector<double>(kColdCalls);
  uint64_t allocated_ = 0;
  hk_status status_ = {};
  hk_context *context_ = nullptr;
  hk_module *module_ = nullptr;
  hk_params *params_ = nullptr;
  void *stream_ = nullptr;
  int64_t shape_[2] = {64, 8};
  DLTensor x_, valid_, y_;
};

} // namespace
} // namespace test
} // namespace hk

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 20000;
  if (calls < 1) {
    std::fprintf(stderr,
                 "hk_host_time: expects a number of calls above 0, but "
                 "got '%s'\n",
                 argv[1]);
    return 1;
  }
  // Lives as long as the process.
  auto *measured = new hk::test::HostTime(static_cast<unsigned>(calls));
  return measured->run() ? 0 : 1;
}
