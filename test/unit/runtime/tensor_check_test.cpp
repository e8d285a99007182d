// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prepared check of tensors never takes what checkTensor refuses.
#include "tensor_check.h"
#include "cuda_fixture.h"

#include <functional>
#include <gtest/gtest.h>

namespace hk {
namespace test {
namespace {

class TensorCheckTest : public CudaTest {
protected:
  /// Types as a module has them.
  const schema::TensorType &type(schema::DType dtype,
                                 std::vector<int64_t> shape) {
    builders_.push_back(std::make_unique<flatbuffers::FlatBufferBuilder>());
    flatbuffers::FlatBufferBuilder &builder = *builders_.back();
    builder.Finish(schema::CreateTensorTypeDirect(builder, dtype, &shape));
    return *flatbuffers::GetRoot<schema::TensorType>(
        builder.GetBufferPointer());
  }

private:
  std::vector<std::unique_ptr<flatbuffers::FlatBufferBuilder>> builders_;
};

TEST_F(TensorCheckTest, TheQuickCheckIsTheSlowOne) {
  struct Case {
    schema::DType dtype;
    DLDataType stored;
  };
  const std::vector<Case> cases = {
      {schema::DType::F64, {kDLFloat, 64, 1}},
      {schema::DType::F32, {kDLFloat, 32, 1}},
      {schema::DType::F16, {kDLFloat, 16, 1}},
      {schema::DType::BF16, {kDLBfloat, 16, 1}},
      {schema::DType::I32, {kDLInt, 32, 1}},
      {schema::DType::I1, {kDLBool, 8, 1}},
      {schema::DType::I1, {kDLUInt, 8, 1}},
  };
  alignas(64) static uint8_t memory[64];
  unsigned accepted = 0, refused = 0;
  makeContext(1);
  std::shared_ptr<Context> cpu = context_;
  expectOk(openCuda());
  for (Device *device : {&cpu->device(), &context_->device()})
    for (int64_t batch : {int64_t(-1), int64_t(2)})
      for (const Case &one : cases) {
        const schema::TensorType &wanted = type(one.dtype, {batch, 3, 1, 4});
        const TensorSpec spec(*device, wanted);
        int64_t shape[] = {2, 3, 1, 4}, dense[] = {12, 4, 4, 1};
        DLTensor right = {};
        right.data = memory;
        right.device = device->placement();
        right.ndim = 4;
        right.dtype = one.stored;
        right.shape = shape;
        int64_t before = -1;
        ASSERT_TRUE(spec.accepts(&right, before));
        EXPECT_EQ(before, 2);

        std::vector<std::function<void(DLTensor &)>> changes = {
            [](DLTensor &t) { t.data = nullptr; },
            [](DLTensor &t) { t.byte_offset = 16; },
            [](DLTensor &t) { t.byte_offset = 8; },
            [](DLTensor &t) { t.byte_offset = 1; },
            [](DLTensor &t) { t.device.device_id = 1; },
            [](DLTensor &t) { t.device.device_type = kDLCUDAManaged; },
            [](DLTensor &t) { t.device.device_type = kDLCUDAHost; },
            [](DLTensor &t) { t.ndim = 3; },
            [](DLTensor &t) { t.shape = nullptr; },
            [](DLTensor &t) { t.dtype.lanes = 2; },
            [](DLTensor &t) { t.dtype.bits *= 2; },
            [&](DLTensor &t) { t.strides = dense; },
            [](DLTensor &t) {
              static int64_t any[] = {12, 4, 99, 1};
              t.strides = any;
            },
            [](DLTensor &t) {
              static int64_t transposed[] = {12, 1, 4, 3};
              t.strides = transposed;
            }};
        for (uint8_t code = 0; code < 8; ++code)
          changes.push_back([code](DLTensor &t) { t.dtype.code = code; });
        static int64_t shapes[][4] = {{1, 3, 1, 4},  {0, 3, 1, 4},
                                      {-2, 3, 1, 4}, {2, 4, 1, 3},
                                      {2, 3, 1, 5},  {INT64_MAX / 8, 3, 1, 4}};
        for (int64_t *other : shapes)
          changes.push_back([other](DLTensor &t) { t.shape = other; });
        for (const auto &change : changes)
          for (int64_t known : {int64_t(-1), int64_t(2), int64_t(5)}) {
            DLTensor tensor = right;
            change(tensor);
            int64_t quick = known, slow = known;
            const bool accepts = spec.accepts(&tensor, quick);
            const bool passes =
                checkTensor(*device, &tensor, wanted, slow).ok();
            EXPECT_TRUE(passes || !accepts);
            if (accepts) {
              EXPECT_EQ(quick, slow);
            }
            ++(accepts ? accepted : refused);
          }
        int64_t unknown = -1;
        EXPECT_FALSE(spec.accepts(nullptr, unknown));
      }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(refused, 1000u);
}

} // namespace
} // namespace test
} // namespace hk
