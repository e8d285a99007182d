// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_CUDA_FIXTURE_H
#define HK_TEST_CUDA_FIXTURE_H

#include "fake_cuda_driver.h"
#include "session_fixture.h"
#include "test_paths.h"

#include <cmath>
#include <cstdlib>

namespace hk {
namespace test {

/// Sessions on the fake driver. Its memory is the host's, so tensors of the
/// fixture are good for it.
class CudaTest : public SessionTest {
protected:
  void SetUp() override {
    SessionTest::SetUp();
    resetFakeCuda();
    setenv("HK_CUDA_DRIVER", HK_FAKE_CUDA_DRIVER, 1);
  }
  void TearDown() override {
    session_.reset();
    context_.reset();
    unsetenv("HK_CUDA_DRIVER");
    // Whatever was made has been destroyed, and no thread is left in a context.
    EXPECT_EQ(fakeCuda().liveModules, 0);
    EXPECT_EQ(fakeCuda().liveAllocations, 0);
    EXPECT_EQ(fakeCuda().liveStreams, 0);
    EXPECT_EQ(fakeCuda().liveEvents, 0);
    EXPECT_EQ(fakeCuda().liveGraphs, 0);
    EXPECT_EQ(fakeCuda().liveContexts, 0);
    EXPECT_EQ(fakeCurrentContext(), nullptr);
  }

  Status openCuda(hk_device_kind kind = HK_DEVICE_CUDA, uint32_t ordinal = 0) {
    hk_context_options options = {};
    options.threads = 2;
    options.device = kind;
    options.device_ordinal = ordinal;
    return Context::create(options, context_);
  }

  /// A session of the module on the device.
  void makeSession(const ModuleFile &file, const char *plan = nullptr) {
    if (!context_ || context_->device().inHostMemory())
      expectOk(openCuda());
    loadModule(file);
    expectOk(createSession(nullptr, plan));
  }
};

template <typename T> class CudaTensor : public Tensor<T> {
public:
  explicit CudaTensor(int64_t batch, T fill = T(0)) : Tensor<T>(batch, fill) {
    this->dl.device = {kDLCUDA, 0};
  }
};

/// One input, one output, and a workspace that just fits.
struct CudaRun {
  CudaRun(const Session &session, int64_t batch)
      : in(batch), out(batch, NAN), workspace(sizeFor(session, batch)) {
    for (size_t i = 0; i < in.data.size(); ++i)
      in.data[i] = 0.125f * static_cast<float>(i % 37) - 1.5f;
  }
  static size_t sizeFor(const Session &session, int64_t batch) {
    uint64_t size = 0;
    expectOk(session.workspaceSize(batch, size));
    return size;
  }
  RunArguments arguments(void *stream = nullptr) {
    return {inputs, 1, outputs, 1, workspace.data(), workspace.size(), stream};
  }
  void expectAffine() const {
    for (size_t i = 0; i < in.data.size(); ++i) {
      const double expected = affineResult(in.data[i], static_cast<int>(i % 8));
      ASSERT_NEAR(out.data[i], expected, 1e-5 * (1 + std::fabs(expected))) << i;
    }
  }

  CudaTensor<float> in, out;
  std::vector<uint8_t> workspace;
  DLTensor *inputs[1] = {&in.dl}, *outputs[1] = {&out.dl};
};

} // namespace test
} // namespace hk

#endif // HK_TEST_CUDA_FIXTURE_H
