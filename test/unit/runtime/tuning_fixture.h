// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HK_TEST_TUNING_FIXTURE_H
#define HK_TEST_TUNING_FIXTURE_H

#include "c_api.h"
#include "cuda_fixture.h"

#include <nlohmann/json.hpp>

namespace hk {
namespace test {

/// A plan of kernels that compute y = factor * x.
struct PlanSpec {
  const char *name;
  schema::Role role;
  double milliseconds; // of each kernel
  float factor = 3;
  unsigned dispatches = 1; // of which all but the last write the workspace
};

constexpr schema::Role kSafe = schema::Role::Safe;
constexpr schema::Role kCandidate = schema::Role::Candidate;
constexpr schema::Role kReference = schema::Role::Reference;

/// Registers y = factor * x with the driver.
inline void setKernel(const std::string &name, double milliseconds,
                      float factor) {
  FakeKernel &kernel = fakeCuda().kernels[name];
  kernel.numParameters = 4;
  kernel.milliseconds = milliseconds;
  kernel.body = [factor](const FakeLaunch &launch) {
    const float *in = reinterpret_cast<const float *>(launch.parameters[0]);
    float *out = reinterpret_cast<float *>(launch.parameters[1]);
    for (unsigned i = 0; i < 8 * launch.grid; ++i)
      out[i] = factor * in[i];
  };
}

/// A function of these plans for sm_80, each with a kernel of its name and a
/// packed value of its own, ranked in this order.
inline ModuleFile tunedModule(const std::vector<PlanSpec> &specs) {
  ModuleFile file = affineModule();
  schema::ModuleT &module = file.metadata;
  auto &plans = module.functions[0]->plans;
  plans.clear();
  std::string text = ".version 8.0\n.target sm_80\n";
  for (const PlanSpec &spec : specs)
    text += std::string(".entry ") + spec.name + "(\n";
  const uint32_t section = addSection(file, schema::SectionKind::Ptx,
                                      Bytes(text.begin(), text.end()));
  for (const PlanSpec &spec : specs) {
    setKernel(spec.name, spec.milliseconds, spec.factor);
    auto packed = std::make_unique<schema::PackedT>();
    packed->name = spec.name;
    packed->type = type(schema::DType::F32, {8});
    packed->program = list(param("layers.0.w", schema::DType::F32, {8}));
    module.packed.push_back(std::move(packed));
    module.executables.push_back(executable(
        spec.name,
        cudaVariant("sm_80", spec.name, section,
                    {static_cast<uint32_t>(module.packed.size() - 1)})));
    auto made =
        plan(spec.name, static_cast<uint32_t>(plans.size()), spec.role, {});
    made->workspace_per_sequence = spec.dispatches > 1 ? 64 : 0;
    for (unsigned i = 0; i < spec.dispatches; ++i)
      made->dispatches.push_back(dispatch(
          static_cast<uint32_t>(module.executables.size() - 1), -1,
          {input(0), i + 1 < spec.dispatches ? workspace(0) : result(0)}));
    plans.push_back(std::move(made));
  }
  return file;
}

/// Sessions that choose among plans.
class TuningTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    makeLoggedContext();
  }
  void makeLoggedContext() {
    hk_context_options options = {};
    options.threads = 2;
    options.device = HK_DEVICE_CUDA;
    options.log = [](void *user, const char *message) {
      static_cast<TuningTest *>(user)->messages_.push_back(message);
    };
    options.log_user = this;
    expectOk(Context::create(options, context_));
  }
  void open(const std::vector<PlanSpec> &specs) {
    makeSession(tunedModule(specs));
  }
  /// A safe plan that takes 1 ms, a candidate that takes half of that.
  void openQuickAndSlow() {
    open({{"slow", kSafe, 1},
          {"quick", kCandidate, 0.5},
          {"exact", kReference, 9}});
  }
  /// The plan of the launch that came last.
  std::string lastKernel() const {
    return fakeCuda().launches.empty() ? "" : fakeCuda().launches.back().kernel;
  }
  bool said(const std::string &text) const {
    for (const std::string &message : messages_)
      if (message.find(text) != std::string::npos)
        return true;
    return false;
  }
  nlohmann::json report() const {
    return nlohmann::json::parse(session_->report());
  }

  std::vector<std::string> messages_;
};

/// As CudaRun, with outputs in memory of the device.
struct DeviceRun {
  DeviceRun(std::shared_ptr<Session> ofSession, int64_t batch,
            uint32_t numSets = 1)
      : session(std::move(ofSession)), in(batch), numSets(numSets) {
    uint64_t size = 0;
    expectOk(session->workspaceSize(batch, size));
    DeviceScope scope(session->device());
    for (size_t i = 0; i < in.data.size(); ++i)
      in.data[i] = 0.125f * static_cast<float>(i % 37) - 1.5f;
    allocate(size, work);
    for (uint32_t set = 0; set < numSets; ++set) {
      outs.push_back(in.dl);
      allocate(in.data.size() * sizeof(float), outs[set].data);
    }
    for (DLTensor &out : outs)
      outputs.push_back(&out);
    workSize = size;
  }
  ~DeviceRun() {
    DeviceScope scope(session->device());
    expectOk(session->device().free(work));
    for (const DLTensor &out : outs)
      expectOk(session->device().free(out.data));
  }
  void allocate(uint64_t size, void *&memory) {
    expectOk(session->device().allocate(size, memory));
  }
  RunArguments arguments(void *stream = nullptr) {
    return {inputs, 1, outputs.data(), 1, work, workSize, stream};
  }
  const float *result(uint32_t set = 0) const {
    return static_cast<const float *>(outs[set].data);
  }
  void expectTriple(uint32_t set = 0) const {
    for (size_t i = 0; i < in.data.size(); ++i)
      ASSERT_EQ(result(set)[i], 3 * in.data[i]) << i;
  }

  std::shared_ptr<Session> session;
  CudaTensor<float> in;
  uint32_t numSets;
  std::vector<DLTensor> outs;
  std::vector<DLTensor *> outputs;
  void *work = nullptr;
  uint64_t workSize = 0;
  DLTensor *inputs[1] = {&in.dl};
};

} // namespace test
} // namespace hk

#endif // HK_TEST_TUNING_FIXTURE_H
