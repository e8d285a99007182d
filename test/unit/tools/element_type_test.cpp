// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/element_type.h"
#include "common/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace hk::tools;

TEST(ElementType, F16Values) {
  EXPECT_EQ(toF16(1.0f), 0x3c00);
  EXPECT_EQ(toF16(-2.0f), 0xc000);
  EXPECT_EQ(toF16(65504.0f), 0x7bff);
  EXPECT_EQ(toF16(0x1p-14f), 0x0400);
  EXPECT_EQ(toF16(0x1p-24f), 0x0001);
  EXPECT_EQ(toF16(-0.0f), 0x8000);
}

TEST(ElementType, F16RoundsToNearestEven) {
  EXPECT_EQ(toF16(1 + 0x1p-11f), 0x3c00);            // halfway: to even
  EXPECT_EQ(toF16(1 + 3 * 0x1p-11f), 0x3c02);        // halfway: to even
  EXPECT_EQ(toF16(1 + 0x1p-11f + 0x1p-20f), 0x3c01); // above halfway
  EXPECT_EQ(toF16(0x1p-25f), 0x0000);                // halfway to the least
  EXPECT_EQ(toF16(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(toF16(0x1p-14f - 0x1p-26f),
            0x0400); // subnormal rounds up to normal
  EXPECT_EQ(toF16(65519.996f), 0x7bff);
  EXPECT_EQ(toF16(65520.0f), 0x7c00);
  EXPECT_EQ(toF16(INFINITY), 0x7c00);
}

TEST(ElementType, F16RoundTripsEveryValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = fromF16(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(fromF16(toF16(value))));
    else
      EXPECT_EQ(toF16(value), bits);
  }
}

TEST(ElementType, Bf16RoundsToNearestEven) {
  EXPECT_EQ(toBf16(1.0f), 0x3f80);
  EXPECT_EQ(toBf16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(toBf16(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(toBf16(INFINITY), 0x7f80);
  EXPECT_EQ(toBf16(3.4e38f), 0x7f80); // rounds to infinity
  EXPECT_TRUE(std::isnan(fromBf16(toBf16(floatOf(0x7f800001u)))));
}

TEST(Tensor, IsAlignedAndHoldsEveryType) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::I32, ElementType::I1}) {
    Tensor tensor(type, {2, 3});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    tensor.set(5, 1);
    EXPECT_EQ(tensor.at(5), 1);
    EXPECT_EQ(tensor.byteSize(), 6 * byteWidth(type));
  }
}

TEST(Tensor, SizesThatOverflowAreRefused) {
  int64_t bytes = 0;
  EXPECT_FALSE(byteSizeOf(ElementType::F32, {INT64_MAX, 2}, bytes));
  EXPECT_FALSE(byteSizeOf(ElementType::F32, {0, INT64_MAX, 2}, bytes));
  EXPECT_FALSE(byteSizeOf(ElementType::F32, {-1}, bytes));
  EXPECT_TRUE(byteSizeOf(ElementType::F32, {0, 7}, bytes));
  EXPECT_EQ(bytes, 0);
  EXPECT_THROW(Tensor(ElementType::F32, {INT64_MAX, 2}), std::bad_alloc);
}

TEST(Tensor, Formats) {
  EXPECT_EQ(formatType(ElementType::F32, {-1, 3}), "f32 [?, 3]");
  EXPECT_EQ(formatIndex(17, {2, 3, 4}), "[1, 1, 1]");
  EXPECT_EQ(formatShape({}), "[]");
}

TEST(Tensor, GuardedMemoryEndsAtAnInaccessiblePage) {
  Tensor tensor(ElementType::F32, {1000, 3});
  for (int64_t i = 0; i < 3000; ++i)
    tensor.set(i, static_cast<double>(i));
  Tensor guarded = tensor.guardedCopy();
  EXPECT_EQ(guarded.shape(), tensor.shape());
  EXPECT_EQ(guarded.at(2999), 2999);
  guarded.set(0, 5);
  EXPECT_EQ(guarded.at(0), 5);
  volatile float *end = guarded.as<float>() + 3000;
  EXPECT_DEATH((void)*end, "");
  EXPECT_EQ(Tensor::guarded(ElementType::I1, {0, 7}).byteSize(), 0u);
}
