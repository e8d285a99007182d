// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_SESSION_FIXTURE_H
#define HK_TEST_SESSION_FIXTURE_H

#include "session.h"

#include "expect_status.h"
#include "module_builder.h"
#include "safetensors_builder.h"

namespace hk {
namespace test {

/// A dense tensor [batch, 8] with memory of its own.
template <typename T> class Tensor {
public:
  explicit Tensor(int64_t batch, T fill = T(0))
      : data(static_cast<size_t>(batch * 8), fill) {
    shape[0] = batch;
    shape[1] = 8;
    dl.data = data.data();
    dl.device = {kDLCPU, 0};
    dl.ndim = 2;
    dl.dtype = {kDLFloat, 8 * sizeof(T), 1};
    dl.shape = shape;
    dl.strides = nullptr;
    dl.byte_offset = 0;
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  std::vector<T> data;
  int64_t shape[2];
  int64_t strides[2] = {8, 1};
  DLTensor dl;
};

class SessionTest : public ::testing::Test {
protected:
  void SetUp() override {
    TemporaryFile checkpoint(affineCheckpoint());
    expectOk(params_.addFile(checkpoint.path()));
    makeContext(2);
  }

  void makeContext(uint32_t threads, const char *isa = "x86-64-v4") {
    hk_context_options options = {};
    options.threads = threads;
    options.isa = isa;
    expectOk(Context::create(options, context_));
  }

  void loadModule(const ModuleFile &file) {
    const Bytes bytes = file.bytes();
    expectOk(Module::loadMemory(bytes.data(), bytes.size(), module_));
  }

  Status createSession(const char *function = nullptr,
                       const char *plan = nullptr, uint64_t limit = 0) {
    hk_session_options options = {};
    options.function = function;
    options.plan = plan;
    options.memory_limit = limit;
    return Session::create(context_, module_, &params_, options, session_);
  }

  /// Runs with a workspace that just fits.
  template <typename T> Status run(Tensor<T> &in, Tensor<T> &out) {
    uint64_t size = 0;
    HK_TRY(session_->workspaceSize(in.shape[0], size));
    std::vector<uint8_t> workspace(size);
    DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
    return session_->run({inputs, 1, outputs, 1, workspace.data(), size});
  }

  Params params_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Module> module_;
  std::shared_ptr<Session> session_;
};

/// affineModule() in float64.
inline double affineResult(double x, int i) {
  return (x * affineWeight(0, i) + affineBias(0, i)) * affineWeight(1, i) +
         affineBias(1, i);
}

} // namespace test
} // namespace hk

#endif // HK_TEST_SESSION_FIXTURE_H
