// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products by cuBLASLt, as a variant among others.
#include "fake_cublaslt.h"
#include "tuning_fixture.h"

namespace hk {
namespace test {
namespace {

using schema::DType;

/// y = x w^T + b, [B, 8] by [8, 8], with w and b of ones: the kernel "sum", and
/// cuBLASLt. The second of two dispatches adds what the first wrote.
ModuleFile productModule(bool residual = false) {
  ModuleFile file = tunedModule({{"sum", kSafe, 2}, {"exact", kReference, 9}});
  schema::ModuleT &module = file.metadata;
  const uint32_t first = static_cast<uint32_t>(module.packed.size());
  auto weight = std::make_unique<schema::PackedT>();
  weight->name = "w";
  weight->type = type(DType::F32, {8, 8});
  weight->program = list(param("ones", DType::F32, {8, 8}));
  auto bias = std::make_unique<schema::PackedT>();
  bias->name = "b";
  bias->type = type(DType::F32, {8});
  bias->program = list(param("bias", DType::F32, {8}));
  module.packed.push_back(std::move(weight));
  module.packed.push_back(std::move(bias));
  for (auto [key, shape] : {std::make_pair("ones", std::vector<int64_t>{8, 8}),
                            std::make_pair("bias", std::vector<int64_t>{8})}) {
    auto parameter = std::make_unique<schema::ParameterT>();
    parameter->key = key;
    parameter->type = type(DType::F32, shape);
    module.parameters.push_back(std::move(parameter));
  }

  auto variant = std::make_unique<schema::VariantT>();
  variant->target = schema::Target::CublasLt;
  variant->isa = "cublaslt";
  variant->schedule = "#hk.cublaslt<f32>";
  variant->grid = std::make_unique<schema::GridDim>(1, 0, 1);
  variant->packed = {first, first + 1};
  variant->gemm = std::make_unique<schema::GemmT>();
  variant->gemm->rows = 1;
  variant->gemm->columns = variant->gemm->depth = 8;
  variant->gemm->operands = variant->gemm->result = DType::F32;
  variant->gemm->input = 0;
  variant->gemm->output = 1;
  variant->gemm->weight = 0;
  variant->gemm->bias = 1;
  if (residual) {
    variant->gemm->residual = 0;
  }
  module.executables[3]->variants.push_back(std::move(variant));
  // What the others compute.
  for (const char *name : {"sum", "exact"})
    fakeCuda().kernels[name].body = [residual](const FakeLaunch &launch) {
      const float *in = reinterpret_cast<const float *>(launch.parameters[0]);
      float *out = reinterpret_cast<float *>(launch.parameters[1]);
      for (unsigned row = 0; row < launch.grid; ++row) {
        float sum = 0;
        for (int i = 0; i < 8; ++i)
          sum += in[8 * row + i];
        for (int i = 0; i < 8; ++i)
          out[8 * row + i] = sum + i + (residual ? in[8 * row + i] : 0);
      }
    };
  return file;
}

class CublasLtTest : public TuningTest {
protected:
  void SetUp() override {
    setenv("HK_CUBLASLT", HK_FAKE_CUBLASLT, 1);
    TuningTest::SetUp();
    fakeCublasLt() = FakeCublasLt();
    for (int i = 0; i < 8; ++i)
      bias_[i] = static_cast<float>(i);
    add("ones", {8, 8}, ones_.data());
    add("bias", {8}, bias_.data());
  }
  void TearDown() override {
    TuningTest::TearDown();
    unsetenv("HK_CUBLASLT");
    EXPECT_EQ(fakeCublasLt().live, 0);
  }
  void add(const char *key, std::vector<int64_t> shape, const float *data) {
    ParamTensor tensor;
    tensor.key = key;
    tensor.dtype = HK_DTYPE_F32;
    tensor.dtypeName = "f32";
    tensor.shape = std::move(shape);
    tensor.data = data;
    expectOk(params_.add(std::move(tensor)));
  }

  std::vector<float> ones_ = std::vector<float>(64, 1.0f);
  std::vector<float> bias_ = std::vector<float>(8);
};

TEST_F(CublasLtTest, ItRunsWhereItIsFaster) {
  fakeCublasLt().milliseconds = {3, 1.5, 1, 4};
  for (bool residual : {false, true}) {
    makeSession(productModule(residual));
    DeviceRun run(session_, 3);
    EXPECT_GE(run.workSize, uint64_t(32) << 20);
    expectOk(session_->run(run.arguments()));
    EXPECT_EQ(lastKernel(), "cublaslt");
    EXPECT_EQ(fakeCuda().launches.back().grid, 2u); // the algorithm
    EXPECT_EQ(fakeCuda().launches.back().parameters[6], 3u);
    float sum = 0;
    for (int i = 8; i < 16; ++i)
      sum += run.in.data[i];
    EXPECT_NEAR(run.result()[10], sum + 2 + (residual ? run.in.data[10] : 0),
                1e-5);
    EXPECT_TRUE(said("plan 'sum' (kernel 'sum': #hk.cublaslt<f32> algorithm 2) "
                     "runs, in 1000.0 us: the fastest of 5 that pass, of 5"));
  }
}

TEST_F(CublasLtTest, OursRunsWhereThatIsFaster) {
  fakeCublasLt().milliseconds = {3, 4};
  makeSession(productModule());
  DeviceRun run(session_, 3);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "sum");
  EXPECT_TRUE(
      said("(kernel 'sum': #hk.cublaslt<f32> algorithm 3) is not used: "
           "kernel 'sum': cuBLASLt, 3 x 8 x 8 for a batch of 3: expects "
           "an algorithm of number 3, but got 2"));
}

TEST_F(CublasLtTest, OursRunsUntilSomethingIsMeasured) {
  fakeCublasLt().milliseconds = {0.1};
  setenv("HK_TUNE", "0", 1);
  expectOk(openCuda());
  unsetenv("HK_TUNE");
  makeSession(productModule());
  DeviceRun run(session_, 3);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "sum");
}

TEST_F(CublasLtTest, ItsWordsAreInTheError) {
  makeSession(productModule());
  fakeCublasLt().failures["cublasLtMatmul"] =
      cublaslt::CUBLAS_STATUS_ALLOC_FAILED;
  DeviceRun run(session_, 3);
  expectOk(session_->run(run.arguments()));
  EXPECT_EQ(lastKernel(), "sum");
  EXPECT_TRUE(said("kernel 'sum': cuBLASLt, 3 x 8 x 8 for a batch of 3: cannot "
                   "launch: CUBLAS_STATUS_ALLOC_FAILED"));
  for (const char *entry :
       {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
        "cublasLtMatrixLayoutCreate", "cublasLtMatmulPreferenceCreate",
        "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic"}) {
    messages_.clear();
    fakeCublasLt().failures = {{entry, 99}};
    expectOk(session_->tune(run.arguments(), HK_LAUNCH_DIRECT));
    EXPECT_TRUE(said(": cuBLAS status 99")) << entry;
  }
}

TEST_F(CublasLtTest, NoKernelStartsWhileItRuns) {
  fakeCublasLt().milliseconds = {1};
  ModuleFile file = productModule();
  auto &executables = file.metadata.executables;
  executables[3]->variants.erase(executables[3]->variants.begin());
  executables[4]->variants[0]->isa = "sm_90a";
  auto &dispatches = file.metadata.functions[0]->plans[0]->dispatches;
  for (int i = 0; i < 2; ++i) {
    dispatches.push_back(dispatch(4, -1, {input(0), result(0)}));
    dispatches.back()->programmatic = true;
  }
  makeSession(file, "sum");
  DeviceRun run(session_, 2);
  expectOk(session_->run(run.arguments()));
  ASSERT_EQ(fakeCuda().launches.size(), 3u);
  EXPECT_STREQ(fakeCuda().launches[0].kernel, "cublaslt");
  EXPECT_FALSE(fakeCuda().launches[1].programmatic);
  EXPECT_TRUE(fakeCuda().launches[2].programmatic);
}

TEST_F(CublasLtTest, ABatchIsAskedForOnce) {
  fakeCublasLt().milliseconds = {1};
  ModuleFile file = productModule();
  file.metadata.executables[3]->variants.erase(
      file.metadata.executables[3]->variants.begin());
  makeSession(file, "sum"); // no other variant, no measurement
  DeviceRun two(session_, 2), three(session_, 3);
  for (int i = 0; i < 3; ++i) {
    expectOk(session_->run(two.arguments()));
    expectOk(session_->run(three.arguments()));
  }
  EXPECT_EQ(fakeCublasLt().calls["cublasLtMatmulAlgoGetHeuristic"], 2);
  EXPECT_EQ(fakeCublasLt().calls["cublasLtMatmulDescCreate"], 2);
  EXPECT_EQ(fakeCublasLt().calls["cublasLtMatmul"], 6);
  EXPECT_STREQ(session_->info().isa, "cublaslt");
}

TEST_F(CublasLtTest, ManyBatchesAreKeptApart) {
  fakeCublasLt().milliseconds = {1};
  ModuleFile file = productModule();
  file.metadata.executables[3]->variants.erase(
      file.metadata.executables[3]->variants.begin());
  makeSession(file, "sum");
  constexpr int kBatches = 150;
  DeviceRun run(session_, kBatches);
  for (int turn = 0; turn < 2; ++turn)
    for (int64_t batch = 1; batch <= kBatches; ++batch) {
      run.in.shape[0] = batch; // the output's too
      expectOk(session_->run(run.arguments()));
      ASSERT_EQ(fakeCuda().launches.back().parameters[6], uint64_t(batch));
    }
  EXPECT_EQ(fakeCublasLt().calls["cublasLtMatmulAlgoGetHeuristic"], kBatches);
  EXPECT_EQ(fakeCublasLt().calls["cublasLtMatmul"], 2 * kBatches);
}

TEST_F(CublasLtTest, ItIsCaptured) {
  fakeCublasLt().milliseconds = {1};
  makeSession(productModule());
  DeviceRun run(session_, 3);
  std::unique_ptr<CapturedGraph> graph;
  std::shared_ptr<const LoadedPlan> plan;
  expectOk(session_->capture(run.arguments(), graph, plan));
  fakeCuda().launches.clear();
  DeviceScope scope(context_->device());
  expectOk(graph->launch(nullptr));
  EXPECT_EQ(lastKernel(), "cublaslt");
}

TEST_F(CublasLtTest, WithoutItNothingIsMissed) {
  for (const char *library :
       {"none", "/nowhere/libcublasLt.so", HK_FAKE_CUDA_DRIVER}) {
    session_.reset();
    context_.reset();
    setenv("HK_CUBLASLT", library, 1);
    expectOk(openCuda());
    makeSession(productModule());
    DeviceRun run(session_, 3);
    EXPECT_LT(run.workSize, uint64_t(32) << 20);
    expectOk(session_->run(run.arguments()));
    EXPECT_EQ(lastKernel(), "sum");
  }
  EXPECT_EQ(fakeCublasLt().calls["cublasLtCreate"], 0);
}

TEST_F(CublasLtTest, HalvesAreRead) {
  fakeCublasLt().milliseconds = {1};
  ModuleFile file = productModule();
  schema::ModuleT &module = file.metadata;
  schema::VariantT &variant = *module.executables[3]->variants[1];
  module.packed[variant.packed[0]]->type->dtype = DType::F16;
  module.packed[variant.packed[1]]->type->dtype = DType::F16;
  variant.gemm->operands = variant.gemm->result = DType::F16;
  module.executables[3]->variants.erase(
      module.executables[3]->variants.begin());
  for (auto *values :
       {&module.functions[0]->inputs, &module.functions[0]->outputs})
    (*values)[0]->type->dtype = DType::F16;
  makeSession(file, "sum");
  DeviceRun run(session_, 1);
  run.in.dl.dtype.bits = run.outs[0].dtype.bits = 16;
  auto *in = reinterpret_cast<uint16_t *>(run.in.data.data());
  for (int i = 0; i < 8; ++i)
    in[i] = 0x3c00; // 1
  expectOk(session_->run(run.arguments()));
  const auto *out = static_cast<const uint16_t *>(run.outs[0].data);
  EXPECT_EQ(out[0], 0x4800); // 8
  EXPECT_EQ(out[2], 0x4900); // 10
}

} // namespace
} // namespace test
} // namespace hk
