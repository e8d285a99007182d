// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "safetensors.h"

#include "expect_status.h"
#include "safetensors_builder.h"

#include <cstring>
#include <random>

namespace hk {
namespace {

using test::Bytes;
using test::expectError;
using test::expectOk;
using test::safetensors;

Status parse(const Bytes &bytes, std::vector<ParamTensor> &tensors) {
  return parseSafetensors(bytes.data(), bytes.size(), tensors);
}
Status parse(const Bytes &bytes) {
  std::vector<ParamTensor> tensors;
  return parse(bytes, tensors);
}

TEST(Safetensors, ReadsTensorsOfAllTypes) {
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BF16","shape":[],"data_offsets":[8,10]},)"
      R"("__metadata__":{"format":"pt"},)"
      R"("c":{"data_offsets":[10,10],"dtype":"I64","shape":[0,3]},)"
      R"("d":{"dtype":"BOOL","shape":[2],"data_offsets":[10,12]}}   )";
  Bytes data(12);
  const float first[2] = {1.5f, -2.0f};
  std::memcpy(data.data(), first, 8);
  const Bytes bytes = safetensors(header, data);
  std::vector<ParamTensor> tensors;
  expectOk(parse(bytes, tensors));
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_EQ(tensors[0].key, "a");
  EXPECT_EQ(tensors[0].dtype, HK_DTYPE_F32);
  EXPECT_EQ(tensors[0].shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(std::memcmp(tensors[0].data, first, 8), 0);
  EXPECT_EQ(tensors[1].dtype, HK_DTYPE_BF16);
  EXPECT_TRUE(tensors[1].shape.empty());
  EXPECT_EQ(tensors[2].dtype, HK_DTYPE_OTHER);
  EXPECT_STREQ(tensors[2].dtypeName, "i64");
  EXPECT_EQ(tensors[3].dtype, HK_DTYPE_I1);
  EXPECT_EQ(static_cast<const uint8_t *>(tensors[3].data) -
                static_cast<const uint8_t *>(tensors[0].data),
            10);
}

TEST(Safetensors, AcceptsNoTensors) {
  std::vector<ParamTensor> tensors;
  expectOk(parse(safetensors("{}", {}), tensors));
  EXPECT_TRUE(tensors.empty());
}

TEST(Safetensors, RefusesAnythingTruncated) {
  const Bytes bytes = test::affineCheckpoint();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Status status = parse(Bytes(bytes.begin(), bytes.begin() + size));
    ASSERT_EQ(status.code(), HK_MALFORMED) << size;
  }
}

TEST(Safetensors, RefusesOtherFiles) {
  expectError(parse({}), HK_MALFORMED,
              "expects a safetensors file, but got only 0 bytes");
  expectError(parse({'P', 'K', 3, 4, 0, 0, 0, 8, 1, 2, 3}), HK_MALFORMED,
              "is this a safetensors file?");
  Bytes bytes = safetensors("{}", {});
  bytes[0] = 3;
  expectError(parse(bytes), HK_MALFORMED,
              "expects a header of 3 bytes, but got 2; the file is truncated");
  bytes[0] = 0;
  expectError(parse(bytes), HK_MALFORMED,
              "expects a safetensors header that begins with '{', but got ''");
  expectError(parse(safetensors("[]", {})), HK_MALFORMED,
              "begins with '{', but got '['");
  // The most that 8 bytes can say.
  std::fill_n(bytes.begin(), 8, 0xff);
  expectError(parse(bytes), HK_MALFORMED,
              "at most 100000000 bytes, but got a length of "
              "18446744073709551615");
}

struct Case {
  const char *header;
  const char *message;
};

TEST(Safetensors, RefusesHeadersThatAreWrong) {
  const Case cases[] = {
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})",
       "expects a header of JSON, but got something else at byte"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}x)",
       "expects a header of JSON"},
      {R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})",
       "tensor 'a': expects a known dtype such as F32 or BF16, but got 'F31'"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       "expects each key once, but got 'a' twice"},
      {R"({"a":{"dtype":"F32","dtype":"F32"}})",
       "tensor 'a': expects each field once, but got 'dtype' twice"},
      {R"({"a":{"shape":[1],"data_offsets":[0,4]}})",
       "tensor 'a': expects the fields dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})",
       "tensor 'a': expects the fields dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})",
       "tensor 'a': expects the fields dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})",
       "tensor 'a': expects the fields dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
       "but got the negative number -1"},
      {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
       "but got the number 1.5"},
      {R"({"a":{"dtype":"F32","shape":[99999999999999999999]}})",
       "but got the number 99999999999999999999"},
      {R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}})",
       "but got a number"},
      {R"({"a":{"dtype":"F32","shape":"1","data_offsets":[0,4]}})",
       "but got a string"},
      {R"({"a":{"dtype":null}})", "but got null"},
      {R"({"a":{"dtype":true}})", "but got a truth value"},
      {R"({"a":{"dtype":"F32","shape":[[1]],"data_offsets":[0,4]}})",
       "but got an array"},
      {R"({"a":{"dtype":"F32","shape":{"b":1}}})", "but got an object"},
      {R"({"a":{"dtype":["F32"]}})", "but got an array"},
      {R"({"a":[1]})", "but got an array"},
      {R"({"a":"F32"})", "but got a string"},
      {R"({"__metadata__":{"a":1}})", "header: expects"},
      {R"({"__metadata__":[]})", "header: expects"},
  };
  for (const Case &bad : cases)
    expectError(parse(safetensors(bad.header, Bytes(4))), HK_MALFORMED,
                bad.message);
}

TEST(Safetensors, RefusesSizesThatAreWrong) {
  const Case cases[] = {
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "tensor 'a': expects data that begins at 0, where the one before ends, "
       "but got 4"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "tensor 'b': expects data that begins at 8"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       "expects tensors that cover 8 bytes of data, but got 4"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})",
       "tensor 'a': expects data_offsets in order and up to 8, but got 0 and "
       "12; the file is truncated or damaged"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})",
       "expects data_offsets in order and up to 8, but got 8 and 4"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
       "tensor 'a': expects 12 bytes for its dtype and shape, but got 8"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,2],)"
       R"("data_offsets":[0,8]}})",
       "expects a size of less than 2^63 bytes, but got more"},
      {R"({"a":{"dtype":"F64","shape":[4611686018427387905],)"
       R"("data_offsets":[0,8]}})",
       "expects a size of whole bytes and less than 2^61"},
      {R"({"a":{"dtype":"F4","shape":[15],"data_offsets":[0,8]}})",
       "expects a size of whole bytes and less than 2^61, but got 15 elements "
       "of 4 bits"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775808],)"
       R"("data_offsets":[0,8]}})",
       "expects a size of less than 2^63 bytes"},
  };
  for (const Case &bad : cases)
    expectError(parse(safetensors(bad.header, Bytes(8))), HK_MALFORMED,
                bad.message);
}

TEST(Safetensors, RefusesTooManyNumbers) {
  std::string header = R"({"a":{"dtype":"F32","shape":[1)";
  for (int i = 0; i < 64; ++i)
    header += ",1";
  expectError(
      parse(safetensors(header + R"(],"data_offsets":[0,4]}})", Bytes(4))),
      HK_MALFORMED, "tensor 'a': expects at most 64 numbers in an array");
}

TEST(Safetensors, DeepNestingIsRefusedAtOnce) {
  const std::string deep(1000000, '[');
  expectError(parse(safetensors(R"({"a":)" + deep, {})), HK_MALFORMED,
              "but got an array");
  std::string objects;
  for (int i = 0; i < 100000; ++i)
    objects += R"({"a":)";
  expectError(parse(safetensors(objects, {})), HK_MALFORMED,
              "but got an object");
}

TEST(Safetensors, ByteFlipsNeverCrash) {
  const Bytes valid = test::affineCheckpoint();
  std::mt19937 random(7);
  for (int i = 0; i < 8000; ++i) {
    Bytes bytes = valid;
    const size_t flips = 1 + random() % 4;
    for (size_t f = 0; f < flips; ++f)
      bytes[random() % bytes.size()] ^= 1u << random() % 8;
    std::vector<ParamTensor> tensors;
    if (parse(bytes, tensors).ok()) {
      for (const ParamTensor &tensor : tensors)
        for (size_t e = 0; tensor.dtype == HK_DTYPE_F32 && e < 8; ++e) {
          float value;
          std::memcpy(&value, static_cast<const char *>(tensor.data) + 4 * e,
                      4);
        }
    }
  }
}

TEST(Params, FilesAreAddedWholeOrNotAtAll) {
  Params params;
  test::TemporaryFile file(test::affineCheckpoint());
  expectOk(params.addFile(file.path()));
  EXPECT_EQ(params.size(), 4u);
  expectError(params.addFile(file.path()), HK_INVALID_ARGUMENT,
              "expects keys that are new, but got 'layers.0.w' again");
  EXPECT_EQ(params.size(), 4u);
  test::TemporaryFile shard(safetensors(
      R"({"head":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})",
      Bytes(2)));
  expectOk(params.addFile(shard.path()));
  ASSERT_NE(params.find("head"), nullptr);
  EXPECT_EQ(params.find("head")->dtype, HK_DTYPE_F16);
  EXPECT_EQ(params.find("tail"), nullptr);
  expectError(params.addFile("/no/such.safetensors"), HK_NOT_FOUND,
              "/no/such.safetensors: cannot open the file");
}

} // namespace
} // namespace hk
