// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sessions: results, and the checks of what the caller brings.
#include "session_fixture.h"

#include <cmath>
#include <thread>

namespace hk {
namespace test {
namespace {

template <typename T> void fill(Tensor<T> &tensor) {
  for (size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] = static_cast<T>(0.125 * static_cast<double>(i % 37) - 1.5);
}

template <typename T>
void expectAffine(const Tensor<T> &in, const Tensor<T> &out, double tolerance) {
  for (size_t i = 0; i < in.data.size(); ++i) {
    const double expected = affineResult(in.data[i], static_cast<int>(i % 8));
    ASSERT_NEAR(out.data[i], expected, tolerance * (1 + std::fabs(expected)))
        << i;
  }
}

TEST_F(SessionTest, EveryPlanComputesTheFunction) {
  loadModule(affineModule());
  for (uint32_t threads : {1, 2, 3, 5}) {
    makeContext(threads);
    for (const char *plan : {"layers", "folded"}) {
      expectOk(createSession("forward", plan));
      for (int64_t batch : {1, 2, 3, 4, 7, 64}) {
        Tensor<float> in(batch), out(batch, NAN);
        fill(in);
        expectOk(run(in, out));
        expectAffine(in, out, 1e-6);
      }
    }
  }
}

TEST_F(SessionTest, AKernelReadsLayersAheadOfItsDispatch) {
  // Layer 1 by a dispatch of layer 0 and slots that are one ahead.
  ModuleFile file = affineModule();
  const uint64_t entry = file.metadata.executables[0]->variants[0]->entry;
  file.metadata.executables.push_back(
      executable("affine.ahead", variant("x86-64", entry, {0, 1})));
  file.metadata.executables[3]->variants[0]->packed_ahead = {1, 1};
  schema::DispatchT &second =
      *file.metadata.functions[0]->plans[0]->dispatches[1];
  second.executable = 3;
  second.layer = 0;
  loadModule(file);
  expectOk(createSession("forward", "layers"));
  Tensor<float> in(3), out(3, NAN);
  fill(in);
  expectOk(run(in, out));
  expectAffine(in, out, 1e-6);
}

TEST_F(SessionTest, TheOracleComputesInFloat64) {
  loadModule(affineModule());
  expectOk(createSession("forward.oracle"));
  Tensor<double> in(5), out(5, NAN);
  fill(in);
  expectOk(run(in, out));
  expectAffine(in, out, 1e-15);
}

TEST_F(SessionTest, RunsFromAFile) {
  TemporaryFile file(affineModule().bytes());
  expectOk(Module::load(file.path(), module_));
  expectOk(createSession());
  Tensor<float> in(3), out(3, NAN);
  fill(in);
  expectOk(run(in, out));
  expectAffine(in, out, 1e-6);
}

TEST_F(SessionTest, OutlivesWhatItWasMadeFrom) {
  loadModule(affineModule());
  expectOk(createSession());
  context_.reset();
  module_.reset();
  params_ = Params();
  Tensor<float> in(3), out(3, NAN);
  fill(in);
  expectOk(run(in, out));
  expectAffine(in, out, 1e-6);
}

TEST_F(SessionTest, ImportsAreCalled) {
  ModuleFile file = tripleModule({"x86-64"});
  file.metadata.executables[0]->variants[0]->entry =
      addCode(file, kernelCode("apply_import"));
  const std::pair<const char *, double (*)(double)> functions[] = {
      {"exp", std::exp},   {"exp2", std::exp2}, {"erf", std::erf},
      {"tanh", std::tanh}, {"sqrt", std::sqrt}, {"log", std::log}};
  for (const auto &[name, function] : functions) {
    file.metadata.executables[0]->variants[0]->imports = {name};
    loadModule(file);
    expectOk(createSession());
    Tensor<float> in(1, 0.75f), out(1);
    expectOk(run(in, out));
    EXPECT_EQ(out.data[0], static_cast<float>(function(0.75))) << name;
  }
}

TEST_F(SessionTest, GridsAreRoundedUp) {
  ModuleFile file = tripleModule({"x86-64"});
  // ceil((2 B + 1) / 2) = B + 1 workgroups, so one row more than there are: a
  // tensor that is longer than it says takes it.
  *file.metadata.executables[0]->variants[0]->grid = schema::GridDim(2, 1, 2);
  loadModule(file);
  expectOk(createSession());
  Tensor<float> in(4, 1.0f), out(4, 0.0f);
  in.shape[0] = out.shape[0] = 3;
  expectOk(run(in, out));
  EXPECT_EQ(out.data, std::vector<float>(32, 3.0f));
}

TEST_F(SessionTest, GridsAreMultiplied) {
  ModuleFile file = tripleModule({"x86-64"});
  // ceil(B / 2) * 3: six workgroups for a batch of 3.
  *file.metadata.executables[0]->variants[0]->grid = schema::GridDim(1, 0, 2);
  file.metadata.executables[0]->variants[0]->grid_times = 3;
  loadModule(file);
  expectOk(createSession());
  Tensor<float> in(6, 1.0f), out(6, 0.0f);
  in.shape[0] = out.shape[0] = 3;
  expectOk(run(in, out));
  EXPECT_EQ(out.data, std::vector<float>(48, 3.0f));
}

TEST_F(SessionTest, SeveralThreadsShareASession) {
  loadModule(affineModule());
  expectOk(createSession());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < 50; ++i) {
        Tensor<float> in(1 + t), out(1 + t, NAN);
        fill(in);
        expectOk(run(in, out));
        expectAffine(in, out, 1e-6);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(SessionTest, ABatchOfZeroDoesNothing) {
  loadModule(affineModule());
  expectOk(createSession());
  Tensor<float> in(0), out(0);
  in.dl.data = out.dl.data = nullptr;
  DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
  expectOk(session_->run({inputs, 1, outputs, 1, nullptr, 0}));
}

TEST_F(SessionTest, TakesTensorsWithOffsetsStridesAndAnyAlignment) {
  loadModule(affineModule());
  expectOk(createSession());
  Tensor<float> in(4), out(4, NAN);
  fill(in);
  in.dl.strides = in.strides;
  in.shape[0] = out.shape[0] = 3;
  in.dl.byte_offset = 4 * 8; // rows 1 to 3; then off the 64 bytes
  out.dl.byte_offset = 4 * 8;
  expectOk(run(in, out));
  for (size_t i = 8; i < 32; ++i)
    EXPECT_NEAR(out.data[i], affineResult(in.data[i], i % 8), 1e-4);
  EXPECT_TRUE(std::isnan(out.data[7]));
  // Strides of a dimension of size 1 mean nothing.
  in.shape[0] = out.shape[0] = 1;
  in.strides[0] = 12345;
  expectOk(run(in, out));
}

TEST_F(SessionTest, TakesAWorkspaceOfAnyAlignment) {
  loadModule(affineModule());
  expectOk(createSession());
  uint64_t size = 0;
  expectOk(session_->workspaceSize(3, size));
  for (size_t shift : {0, 1, 63, 64, 127}) {
    std::vector<uint8_t> memory(size + 128 + 64, 0xab);
    uint8_t *workspace = memory.data() + 64 + shift;
    Tensor<float> in(3), out(3, NAN);
    fill(in);
    DLTensor *inputs[] = {&in.dl}, *outputs[] = {&out.dl};
    expectOk(session_->run({inputs, 1, outputs, 1, workspace, size}));
    expectAffine(in, out, 1e-6);
    // And stays inside.
    for (uint8_t *p = memory.data(); p < workspace; ++p)
      ASSERT_EQ(*p, 0xab);
    for (size_t i = 64 + shift + size; i < memory.size(); ++i)
      ASSERT_EQ(memory[i], 0xab);
  }
}

/// A run with something changed, and the error that it gives.
class RunCheckTest : public SessionTest {
protected:
  void SetUp() override {
    SessionTest::SetUp();
    loadModule(affineModule());
    expectOk(createSession());
    expectOk(session_->workspaceSize(4, size_));
    workspace_.resize(size_);
  }
  void expectRefused(const std::string &message) {
    DLTensor *inputs[] = {&in_.dl}, *outputs[] = {&out_.dl};
    expectError(
        session_->run({inputs, 1, outputs, 1, workspace_.data(), size_}),
        HK_INVALID_ARGUMENT, message);
  }

  Tensor<float> in_{4}, out_{4};
  uint64_t size_ = 0;
  std::vector<uint8_t> workspace_;
};

TEST_F(RunCheckTest, CountsAndPointers) {
  DLTensor *inputs[] = {&in_.dl, nullptr}, *outputs[] = {&out_.dl};
  uint8_t *work = workspace_.data();
  expectError(session_->run({inputs, 2, outputs, 1, work, size_}),
              HK_INVALID_ARGUMENT,
              "expects 1 inputs and 1 outputs, but got 2 and 1");
  expectError(session_->run({nullptr, 1, outputs, 1, work, size_}),
              HK_INVALID_ARGUMENT, "expects arrays of tensors, but got NULL");
  inputs[0] = nullptr;
  expectError(session_->run({inputs, 1, outputs, 1, work, size_}),
              HK_INVALID_ARGUMENT,
              "input 0 'x': expects a tensor, but got NULL");
  in_.dl.data = nullptr;
  expectRefused("input 0 'x': expects data, but got NULL");
}

TEST_F(RunCheckTest, Device) {
  out_.dl.device.device_type = kDLCUDA;
  expectRefused(
      "output 0 'y': expects a tensor on the CPU, but got device type 2");
}

TEST_F(RunCheckTest, ElementType) {
  in_.dl.dtype.bits = 64;
  expectRefused("input 0 'x': expects f32, but got f64");
  in_.dl.dtype = {kDLBfloat, 16, 1};
  expectRefused("expects f32, but got bf16");
  in_.dl.dtype = {kDLInt, 32, 1};
  expectRefused("expects f32, but got i32");
  in_.dl.dtype = {kDLUInt, 8, 1};
  expectRefused("expects f32, but got u8");
  in_.dl.dtype = {kDLBool, 8, 1};
  expectRefused("expects f32, but got bool8");
  in_.dl.dtype = {kDLFloat, 32, 4};
  expectRefused("expects f32, but got f32x4");
  in_.dl.dtype = {77, 32, 1};
  expectRefused("expects f32, but got code 77, bits 32");
}

TEST_F(RunCheckTest, Shape) {
  in_.dl.ndim = 1;
  expectRefused("input 0 'x': expects 2 dimensions, [-1, 8], but got 1");
  in_.dl.ndim = -1;
  expectRefused("expects 2 dimensions, [-1, 8], but got -1");
  in_.dl.ndim = 2;
  in_.shape[1] = 9;
  expectRefused("input 0 'x': expects shape [-1, 8], but got [4, 9]");
  in_.shape[1] = 8;
  in_.shape[0] = -4;
  expectRefused("expects shape [-1, 8], but got [-4, 8]");
  in_.shape[0] = INT64_MAX / 8;
  expectRefused("expects less than 2^63 bytes");
  in_.shape[0] = 4;
  in_.dl.shape = nullptr;
  expectRefused("expects 2 dimensions, [-1, 8], but got 0");
}

TEST_F(RunCheckTest, OneBatchForAll) {
  out_.shape[0] = 3;
  expectRefused("output 0 'y': expects the batch of the tensors before it, 4, "
                "but got 3");
}

TEST_F(RunCheckTest, StridesAndAlignment) {
  in_.dl.strides = in_.strides;
  in_.strides[0] = 1;
  in_.strides[1] = 4;
  expectRefused("input 0 'x': expects a dense row-major tensor, but got "
                "strides [1, 4] for shape [4, 8]; make a contiguous copy");
  in_.dl.strides = nullptr;
  in_.dl.byte_offset = 2;
  expectRefused("expects data aligned to its elements of 4 bytes");
}

TEST_F(RunCheckTest, Overlaps) {
  out_.dl.data = in_.data.data() + 8;
  expectRefused("output 0 'y': expects memory of its own, but got some that "
                "overlaps input 0 'x'");
  out_.dl.data =
      workspace_.data() + (-reinterpret_cast<uintptr_t>(workspace_.data()) & 3);
  expectRefused("output 0 'y': expects memory of its own, but got some that "
                "overlaps the workspace");
  std::swap(in_.dl.data, out_.dl.data);
  expectRefused("input 0 'x': expects memory of its own, but got some that "
                "overlaps the workspace");
}

TEST_F(RunCheckTest, TwoOutputsMayNotOverlap) {
  ModuleFile file = tripleModule({"x86-64"});
  schema::FunctionT &function = *file.metadata.functions[0];
  function.outputs.push_back(value("z", schema::DType::F32, {-1, 8}));
  function.plans[0]->dispatches.push_back(
      dispatch(0, -1, {input(0), result(1)}));
  loadModule(file);
  expectOk(createSession());
  Tensor<float> in(2, 2.0f), y(2), z(2);
  DLTensor *inputs[] = {&in.dl}, *outputs[] = {&y.dl, &z.dl};
  expectOk(session_->run({inputs, 1, outputs, 2, workspace_.data(), size_}));
  EXPECT_EQ(y.data, std::vector<float>(16, 6.0f));
  EXPECT_EQ(z.data, y.data);
  z.dl.data = y.data.data() + 4;
  expectError(session_->run({inputs, 1, outputs, 2, workspace_.data(), size_}),
              HK_INVALID_ARGUMENT,
              "output 1 'z': expects memory of its own, but got some that "
              "overlaps output 0 'y'");
}

TEST_F(RunCheckTest, Workspace) {
  --size_;
  expectRefused(concat("expects a workspace of ", size_ + 1,
                       " bytes for a batch of 4, but got ", size_));
  DLTensor *inputs[] = {&in_.dl}, *outputs[] = {&out_.dl};
  expectError(session_->run({inputs, 1, outputs, 1, nullptr, size_ + 1}),
              HK_INVALID_ARGUMENT, "but got 0");
}

TEST_F(RunCheckTest, MasksAreBoolsOrBytes) {
  ModuleFile file = tripleModule({"x86-64"});
  schema::FunctionT &function = *file.metadata.functions[0];
  function.inputs.push_back(value("mask", schema::DType::I1, {-1, 8}));
  loadModule(file);
  expectOk(createSession());
  Tensor<float> in(2), out(2);
  Tensor<uint8_t> mask(2, 1);
  DLTensor *inputs[] = {&in.dl, &mask.dl}, *outputs[] = {&out.dl};
  for (uint8_t code : {kDLBool, kDLUInt}) {
    mask.dl.dtype = {code, 8, 1};
    expectOk(session_->run({inputs, 2, outputs, 1, workspace_.data(), size_}));
  }
  mask.dl.dtype = {kDLInt, 8, 1};
  expectError(session_->run({inputs, 2, outputs, 1, workspace_.data(), size_}),
              HK_INVALID_ARGUMENT, "input 1 'mask': expects i1, but got i8");
}

} // namespace
} // namespace test
} // namespace hk
