// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/tensor_io.h"

#include "common/error.h"
#include "common/npy.h"

#include <gtest/gtest.h>

using namespace hk::tools;

namespace {

const std::vector<Signature> kMasked = {{"x", ElementType::F32, {-1, 5, 4}},
                                        {"valid", ElementType::I1, {-1, 5}}};
const std::vector<Signature> kLengths = {{"x", ElementType::F32, {-1, 5, 4}},
                                         {"len", ElementType::I32, {-1}}};

class TensorIo : public testing::Test {
protected:
  /// The path of a file of ones.
  std::string save(const char *name, ElementType type,
                   std::vector<int64_t> shape) {
    std::string path = testing::TempDir() + "tensor_io_" + name + ".npy";
    Tensor tensor(type, std::move(shape));
    for (int64_t i = 0; i < tensor.elementCount(); ++i)
      tensor.set(i, 1);
    writeNpy(path, tensor);
    files.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const std::string &file : files)
      std::remove(file.c_str());
  }
  std::string errorOf(const std::vector<Signature> &inputs,
                      const InputOptions &options) {
    try {
      makeInputs(inputs, options);
    } catch (const ToolError &error) {
      EXPECT_EQ(error.code, ExitUserError);
      return error.what();
    }
    return "no error";
  }
  std::vector<std::string> files;
};

} // namespace

TEST_F(TensorIo, RandomInputs) {
  InputOptions options;
  options.batch = 3;
  std::vector<Tensor> inputs = makeInputs(kMasked, options);
  EXPECT_EQ(inputs[0].shape(), (std::vector<int64_t>{3, 5, 4}));
  EXPECT_NE(inputs[0].at(0), inputs[0].at(1));
  for (int64_t i = 0; i < 15; ++i)
    EXPECT_EQ(inputs[1].at(i), 1);
  EXPECT_EQ(inputs[0].at(7), makeInputs(kMasked, options)[0].at(7));
  options.seed = 5;
  EXPECT_NE(inputs[0].at(7), makeInputs(kMasked, options)[0].at(7));
}

TEST_F(TensorIo, PaddingIsAPrefixAndTheSameForLengths) {
  InputOptions options;
  options.batch = 200;
  options.padding = true;
  std::vector<Tensor> masked = makeInputs(kMasked, options);
  std::vector<Tensor> lengths = makeInputs(kLengths, options);
  bool seen[6] = {};
  for (int64_t b = 0; b < 200; ++b) {
    int64_t length = static_cast<int64_t>(lengths[1].at(b));
    ASSERT_GE(length, 1);
    ASSERT_LE(length, 5);
    seen[length] = true;
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_EQ(masked[1].at(b * 5 + i), i < length);
  }
  for (int length = 1; length <= 5; ++length)
    EXPECT_TRUE(seen[length]);
  EXPECT_EQ(validTokens(kMasked, masked), validTokens(kLengths, lengths));
}

TEST_F(TensorIo, FullLengths) {
  EXPECT_EQ(makeInputs(kLengths, {})[1].at(0), 5);
  EXPECT_TRUE(validTokens({kMasked[0]}, makeInputs({kMasked[0]}, {})).empty());
}

TEST_F(TensorIo, FilesInOrderAndByName) {
  InputOptions options;
  options.files = {"valid=" + save("mask", ElementType::I1, {2, 5}),
                   save("x", ElementType::F32, {2, 5, 4})};
  std::vector<Tensor> inputs = makeInputs(kMasked, options);
  EXPECT_EQ(inputs[0].at(39), 1);
  EXPECT_EQ(inputs[1].at(9), 1);
}

TEST_F(TensorIo, RandomInputsFollowTheBatchOfFiles) {
  InputOptions options;
  options.files = {save("x", ElementType::F32, {2, 5, 4})};
  EXPECT_EQ(makeInputs(kMasked, options)[1].shape(),
            (std::vector<int64_t>{2, 5}));
}

TEST_F(TensorIo, RefusesWrongTensors) {
  InputOptions options;
  std::string path = save("x", ElementType::F64, {2, 5, 4});
  options.files = {path};
  EXPECT_EQ(errorOf(kMasked, options), path +
                                           ": expects f32 [?, 5, 4] for input "
                                           "0 ('x'), but got f64 [2, 5, 4]");
  path = save("x", ElementType::F32, {2, 6, 4});
  options.files = {path};
  EXPECT_EQ(errorOf(kMasked, options), path +
                                           ": expects f32 [?, 5, 4] for input "
                                           "0 ('x'), but got f32 [2, 6, 4]");
  path = save("x", ElementType::F32, {2, 5});
  options.files = {path};
  EXPECT_EQ(errorOf(kMasked, options), path +
                                           ": expects f32 [?, 5, 4] for input "
                                           "0 ('x'), but got f32 [2, 5]");
}

TEST_F(TensorIo, RefusesWrongNames) {
  InputOptions options;
  options.files = {"mask=m.npy"};
  EXPECT_EQ(errorOf(kMasked, options),
            "expects an input among x, valid, but got 'mask'");
  std::string path = save("x", ElementType::F32, {2, 5, 4});
  options.files = {"x=" + path, "x=" + path};
  EXPECT_EQ(errorOf(kMasked, options),
            "expects each input once, but got 'x' twice");
  options.files = {path, path};
  EXPECT_EQ(errorOf({kMasked[0]}, options),
            "expects at most 1 inputs, but got one more: '" + path + "'");
}

TEST_F(TensorIo, RefusesOtherBatches) {
  InputOptions options;
  std::string x = save("x", ElementType::F32, {2, 5, 4});
  std::string mask = save("mask", ElementType::I1, {3, 5});
  options.files = {x, mask};
  EXPECT_EQ(errorOf(kMasked, options), "expects one batch for all inputs, but "
                                       "got 2 from " +
                                           x + " and 3 from " + mask);
  options.files = {x};
  options.batch = 9;
  EXPECT_EQ(errorOf(kMasked, options), "expects one batch for all inputs, but "
                                       "got 2 from " +
                                           x + " and 9 from --batch");
  options.files.clear();
  EXPECT_EQ(errorOf({{"x", ElementType::F32, {4, 5}}}, options),
            "expects one batch for all inputs, but got 4 from the module and 9 "
            "from --batch");
}

TEST_F(TensorIo, RefusesHugeInputs) {
  InputOptions options;
  options.batch = 1000000000;
  EXPECT_EQ(errorOf({{"x", ElementType::F32, {-1, INT64_MAX / 8}}}, options),
            "expects inputs of fewer than 2^63 bytes, but got f32 [1000000000, "
            "1152921504606846975]");
}
