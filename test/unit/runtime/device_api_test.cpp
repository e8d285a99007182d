// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hk/device.h and the streams and graphs of hk/runtime.h, through the C API.
#include "cuda_fixture.h"

#include "hk/device.h"

#include <cstddef>

namespace hk {
namespace test {
namespace {

class DeviceApiTest : public CudaTest {
protected:
  void TearDown() override {
    hk_context_destroy(handle_);
    CudaTest::TearDown();
  }
  void open(hk_device_kind kind) {
    hk_context_destroy(handle_);
    handle_ = nullptr;
    hk_context_options options = {};
    options.struct_size = sizeof(options);
    options.device = kind;
    ok(hk_context_create(&options, &handle_, &status_));
  }
  void ok(hk_code code) { ASSERT_EQ(code, HK_OK) << status_.message; }
  void fails(hk_code code, hk_code expected, const std::string &text) {
    EXPECT_EQ(code, expected);
    EXPECT_NE(std::string(status_.message).find(text), std::string::npos)
        << "expects '" << text << "' in '" << status_.message << "'";
  }

  hk_status status_ = {};
  hk_context *handle_ = nullptr;
};

TEST_F(DeviceApiTest, MemoryAndEventsOfEveryDevice) {
  for (hk_device_kind kind : {HK_DEVICE_CPU, HK_DEVICE_CUDA}) {
    open(kind);
    hk_device_info info = {};
    hk_context_get_device(handle_, &info);
    EXPECT_EQ(info.kind, kind);
    void *memory = nullptr;
    int value = 42, back = 0;
    ok(hk_device_alloc(handle_, sizeof(value), &memory, &status_));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
    ok(hk_device_write(handle_, memory, &value, sizeof(value), &status_));
    ok(hk_device_read(handle_, &back, memory, sizeof(value), &status_));
    EXPECT_EQ(back, 42);
    ok(hk_device_write(handle_, nullptr, nullptr, 0, &status_));
    ok(hk_device_read(handle_, nullptr, nullptr, 0, &status_));
    ok(hk_device_synchronize(handle_, &status_));
    ok(hk_device_free(handle_, memory, &status_));
    ok(hk_device_free(handle_, nullptr, &status_));

    hk_event *start = nullptr, *end = nullptr;
    float milliseconds = -1;
    ok(hk_event_create(handle_, &start, &status_));
    ok(hk_event_create(handle_, &end, &status_));
    ok(hk_event_record(start, nullptr, &status_));
    fails(hk_event_elapsed(start, end, &milliseconds, &status_),
          HK_INVALID_ARGUMENT, "expects recorded events, but got one that is");
    ok(hk_event_record(end, nullptr, &status_));
    ok(hk_event_elapsed(start, end, &milliseconds, &status_));
    EXPECT_GE(milliseconds, 0.0f);
    // They keep their context.
    hk_context_destroy(handle_);
    handle_ = nullptr;
    ok(hk_event_elapsed(start, end, &milliseconds, &status_));
    hk_event_destroy(start);
    hk_event_destroy(end);
    hk_event_destroy(nullptr);
  }
}

TEST_F(DeviceApiTest, ArgumentsAreChecked) {
  open(HK_DEVICE_CUDA);
  char byte = 0;
  fails(hk_device_alloc(nullptr, 1, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects a context, but got NULL");
  fails(hk_device_alloc(handle_, 1, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects a place for the address, but got NULL");
  fails(hk_device_write(handle_, nullptr, &byte, 1, &status_),
        HK_INVALID_ARGUMENT, "expects memory to write to, but got NULL");
  fails(hk_device_write(handle_, &byte, nullptr, 1, &status_),
        HK_INVALID_ARGUMENT, "expects memory to read from, but got NULL");
  fails(hk_device_read(handle_, nullptr, &byte, 1, &status_),
        HK_INVALID_ARGUMENT, "expects memory to write to, but got NULL");
  fails(hk_device_read(handle_, &byte, nullptr, 1, &status_),
        HK_INVALID_ARGUMENT, "expects memory to read from, but got NULL");
  fails(hk_stream_create(handle_, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects a place for the stream, but got NULL");
  fails(hk_event_create(handle_, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects a place for the event, but got NULL");
  fails(hk_event_record(nullptr, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects an event, but got NULL");
  fails(hk_event_elapsed(nullptr, nullptr, nullptr, &status_),
        HK_INVALID_ARGUMENT, "expects an event, but got NULL");
  fails(hk_graph_create(nullptr, nullptr, 0, nullptr, 0, nullptr, 0, nullptr,
                        &status_),
        HK_INVALID_ARGUMENT, "expects a session, but got NULL");
  fails(hk_graph_launch(nullptr, nullptr, &status_), HK_INVALID_ARGUMENT,
        "expects a graph, but got NULL");
  fails(hk_session_run_on_stream(nullptr, nullptr, nullptr, 0, nullptr, 0,
                                 nullptr, 0, &status_),
        HK_INVALID_ARGUMENT, "expects a session, but got NULL");
}

TEST_F(DeviceApiTest, EventsOfTwoContextsAreNotCompared) {
  open(HK_DEVICE_CPU);
  hk_event *cpu = nullptr, *cuda = nullptr;
  float milliseconds = 0;
  ok(hk_event_create(handle_, &cpu, &status_));
  ok(hk_event_record(cpu, nullptr, &status_));
  open(HK_DEVICE_CUDA);
  ok(hk_event_create(handle_, &cuda, &status_));
  ok(hk_event_record(cuda, nullptr, &status_));
  fails(hk_event_elapsed(cpu, cuda, &milliseconds, &status_),
        HK_INVALID_ARGUMENT, "expects events of one context, but got those");
  hk_event_destroy(cpu);
  hk_event_destroy(cuda);
}

TEST_F(DeviceApiTest, TheCpuHasNoStreamsButNull) {
  open(HK_DEVICE_CPU);
  void *stream = nullptr;
  fails(hk_stream_create(handle_, &stream, &status_), HK_UNSUPPORTED,
        "expects a CUDA device for streams and graphs, but got the CPU");
  fails(hk_stream_destroy(handle_, &stream, &status_), HK_UNSUPPORTED,
        "expects a CUDA device");
  ok(hk_stream_destroy(handle_, nullptr, &status_));
  ok(hk_stream_synchronize(handle_, nullptr, &status_));
}

TEST_F(DeviceApiTest, OptionsOfOlderHeadersAreRead) {
  hk_context_options options = {};
  options.device = static_cast<hk_device_kind>(3); // not there yet
  options.threads = 3;
  options.struct_size = offsetof(hk_context_options, device);
  ok(hk_context_create(&options, &handle_, &status_));
  EXPECT_EQ(hk_context_num_workers(handle_), 3u);
  hk_context_destroy(handle_);
  handle_ = nullptr;
  options.device = HK_DEVICE_CPU;
  options.struct_size = offsetof(hk_context_options, log);
  ok(hk_context_create(&options, &handle_, &status_));
  options.struct_size = sizeof(options) + 8;
  hk_context *other = nullptr;
  fails(hk_context_create(&options, &other, &status_), HK_INVALID_ARGUMENT,
        "expects struct_size to be sizeof(hk_context_options)");
}

TEST_F(DeviceApiTest, RunsOnStreamsAndGraphsAreTimed) {
  open(HK_DEVICE_CUDA);
  const Bytes bytes = affineCudaModule().bytes();
  hk_module *module = nullptr;
  hk_params *params = nullptr;
  hk_session *session = nullptr;
  hk_graph *graph = nullptr;
  hk_event *start = nullptr, *end = nullptr;
  void *stream = nullptr;
  TemporaryFile checkpoint(affineCheckpoint());
  ok(hk_module_load_memory(bytes.data(), bytes.size(), &module, &status_));
  ok(hk_params_open(checkpoint.path(), &params, &status_));
  hk_session_options options = {};
  options.struct_size = sizeof(options);
  options.plan = "layers";
  ok(hk_session_create(handle_, module, params, &options, &session, &status_));
  ok(hk_stream_create(handle_, &stream, &status_));
  ok(hk_event_create(handle_, &start, &status_));
  ok(hk_event_create(handle_, &end, &status_));

  CudaTensor<float> in(2, 1.5f), out(2, NAN);
  DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
  size_t size = 0;
  ok(hk_session_workspace_size(session, 2, &size, &status_));
  std::vector<uint8_t> workspace(size);
  ok(hk_event_record(start, stream, &status_));
  ok(hk_session_run_on_stream(session, stream, inputs, 1, outputs, 1,
                              workspace.data(), size, &status_));
  ok(hk_event_record(end, stream, &status_));
  ok(hk_stream_synchronize(handle_, stream, &status_));
  float milliseconds = 0;
  ok(hk_event_elapsed(start, end, &milliseconds, &status_));
  EXPECT_EQ(milliseconds, 2.0f); // one a launch, says the driver
  EXPECT_NEAR(out.data[3], affineResult(1.5, 3), 1e-5);

  ok(hk_graph_create(session, inputs, 1, outputs, 1, workspace.data(), size,
                     &graph, &status_));
  // A graph keeps its session, and a session its context.
  hk_session_destroy(session);
  hk_module_destroy(module);
  hk_params_destroy(params);
  std::fill(in.data.begin(), in.data.end(), -2.0f);
  ok(hk_graph_launch(graph, stream, &status_));
  ok(hk_stream_synchronize(handle_, stream, &status_));
  EXPECT_NEAR(out.data[11], affineResult(-2.0, 3), 1e-5);
  hk_graph_destroy(graph);
  hk_graph_destroy(nullptr);
  hk_event_destroy(start);
  hk_event_destroy(end);
  ok(hk_stream_destroy(handle_, stream, &status_));
}

} // namespace
} // namespace test
} // namespace hk
