// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/npy.h"

#include "common/error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

using namespace hk::tools;

namespace {

class Npy : public testing::Test {
protected:
  void SetUp() override {
    path = testing::TempDir() + "npy_test_" +
           testing::UnitTest::GetInstance()->current_test_info()->name() +
           ".npy";
  }
  void TearDown() override { std::remove(path.c_str()); }

  void writeBytes(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string readBytes() {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// A file with this header text and `size` bytes of zeros.
  void writeFile(const std::string &header, size_t size, char version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
      bytes += static_cast<char>(header.size() >> (8 * i));
    writeBytes(bytes + header + std::string(size, '\0'));
  }
  /// The error of reading the file, without the path before it.
  std::string errorOf(ExitCode code = ExitUserError) {
    try {
      readNpy(path);
    } catch (const ToolError &error) {
      EXPECT_EQ(error.code, code);
      std::string text = error.what();
      EXPECT_EQ(text.compare(0, path.size() + 2, path + ": "), 0) << text;
      return text.substr(path.size() + 2);
    }
    return "no error";
  }

  std::string path;
};

std::string header(const std::string &descr, const std::string &shape) {
  return "{'descr': '" + descr +
         "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

} // namespace

TEST_F(Npy, RoundTripsEveryType) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
        ElementType::I32, ElementType::I1})
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {3}, {2, 3}, {2, 0, 4}}) {
      Tensor tensor(type, shape);
      for (int64_t i = 0; i < tensor.elementCount(); ++i)
        tensor.set(i, i % 2);
      writeNpy(path, tensor);
      Tensor read = readNpy(path);
      EXPECT_EQ(read.type(), type);
      EXPECT_EQ(read.shape(), shape);
      EXPECT_EQ(0, std::memcmp(read.data(), tensor.data(), tensor.byteSize()));
    }
}

// What numpy.save writes for numpy.arange(3, dtype=float32).
TEST_F(Npy, WritesWhatNumPyWrites) {
  Tensor tensor(ElementType::F32, {3});
  for (int i = 0; i < 3; ++i)
    tensor.set(i, i);
  writeNpy(path, tensor);
  std::string bytes = readBytes();
  ASSERT_EQ(bytes.size(), 128u + 12);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(bytes.substr(10, 118),
            text + std::string(117 - text.size(), ' ') + "\n");
}

TEST_F(Npy, ReadsVersionsTwoAndThreeAndOtherSpelling) {
  for (char version : {2, 3}) {
    writeFile("{\"shape\":(2 , 3),'fortran_order':False,\"descr\":\"<f4\"}", 24,
              version);
    EXPECT_EQ(readNpy(path).shape(), (std::vector<int64_t>{2, 3}));
  }
}

TEST_F(Npy, FortranOrderOfAVectorIsNoMatter) {
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8);
  EXPECT_EQ(readNpy(path).elementCount(), 2);
}

TEST_F(Npy, RefusesFortranOrder) {
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24);
  EXPECT_EQ(errorOf(), "expects C order, but got Fortran order; save "
                       "numpy.ascontiguousarray(array)");
}

TEST_F(Npy, RefusesMissingFiles) {
  EXPECT_EQ(errorOf(ExitEnvironment),
            "expects a file that can be read, but got: No such file or "
            "directory");
}

TEST_F(Npy, RefusesFolders) {
  path = testing::TempDir();
  EXPECT_EQ(errorOf(ExitEnvironment),
            "expects a regular file, but got something else");
  path = "/nonexistent/file.npy"; // for TearDown
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const char *descr : {">f4", "<i8", "<f16", "<c8", "|O", "", "<u4"}) {
    writeFile(header(descr, "(1,)"), 8);
    EXPECT_EQ(errorOf(),
              std::string("expects little-endian float64, float32, float16, "
                          "int32, bool, or uint16 (the bits of bf16), but got "
                          "'") +
                  descr + "'");
  }
  writeFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
            4);
  EXPECT_EQ(errorOf(), "expects an array of numbers, but got a structured "
                       "array");
}

TEST_F(Npy, RefusesTruncatedData) {
  writeFile(header("<f4", "(2, 3)"), 23);
  EXPECT_EQ(errorOf(), "expects 24 bytes of data for f32 [2, 3], but got 23");
  writeFile(header("<f4", "(2, 3)"), 25);
  EXPECT_EQ(errorOf(), "expects 24 bytes of data for f32 [2, 3], but got 25");
}

TEST_F(Npy, RefusesEveryTruncation) {
  writeFile(header("<f4", "(2, 3)"), 24);
  std::string bytes = readBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    writeBytes(bytes.substr(0, size));
    EXPECT_EQ(errorOf().compare(0, 8, "expects "), 0) << size;
  }
}

TEST_F(Npy, RefusesOtherStarts) {
  writeBytes("PK\x03\x04 zip file");
  EXPECT_EQ(errorOf(), "expects an .npy file, which starts with "
                       "\"\\x93NUMPY\", but got another start");
  writeBytes("abc");
  EXPECT_EQ(errorOf(), "expects an .npy file, but got 3 bytes");
}

TEST_F(Npy, RefusesOtherVersions) {
  writeFile(header("<f4", "(1,)"), 4, 4);
  EXPECT_EQ(errorOf(ExitUnsupported),
            "expects .npy format version 1, 2 or 3, but got 4");
}

TEST_F(Npy, RefusesHostileSizes) {
  writeFile(header("<f4", "(9223372036854775808,)"), 0);
  EXPECT_EQ(errorOf(), "expects a dimension below 2^63, but got a larger one");
  writeFile(header("<f4", "(4294967296, 4294967296)"), 0);
  EXPECT_EQ(errorOf(), "expects fewer than 2^63 bytes, but got shape "
                       "[4294967296, 4294967296]");
  writeFile(header("<f4", "(0, 4294967296, 4294967296)"), 0);
  EXPECT_EQ(errorOf(), "expects fewer than 2^63 bytes, but got shape "
                       "[0, 4294967296, 4294967296]");
  writeFile(header("<f4", "(1000000000000,)"), 4);
  EXPECT_EQ(errorOf(), "expects 4000000000000 bytes of data for f32 "
                       "[1000000000000], but got 4");
  std::string ones = "(";
  for (int i = 0; i < 33; ++i)
    ones += "1, ";
  writeFile(header("<f4", ones + ")"), 4);
  EXPECT_EQ(errorOf(), "expects at most 32 dimensions, but got more");
  writeBytes(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12));
  EXPECT_EQ(errorOf(), "expects a header of at most 1048576 bytes, but got "
                       "4294967295");
}

TEST_F(Npy, RefusesBrokenHeaders) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expects '{' in the header, but got the end of the header"},
      {"{}", "expects the header keys 'descr', 'fortran_order' and 'shape', "
             "but got not all of them"},
      {"{'shape': (1,) 'descr'", "expects '}' in the header, but got '''"},
      {"{'shape': (1 2)}", "expects ')' in the header, but got '2'"},
      {"{'shape': (-1,)}", "expects a dimension in the header, but got '-'"},
      {"{'shape': (1,), 'shape': (2,)}",
       "expects each header key once, but got 'shape' twice"},
      {"{'order': 1}", "expects only the keys 'descr', 'fortran_order' and "
                       "'shape', but got 'order'"},
      {"{'descr", "expects a short string in the header, but got one without "
                  "an end"},
      {"{'fortran_order': None}",
       "expects True or False for 'fortran_order', but got 'N'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
       "expects nothing after the header's '}', but got 'x'"},
      {"{'descr' '<f4'}", "expects ':' in the header, but got '''"},
      {"{descr: '<f4'}", "expects ''' in the header, but got 'd'"},
  };
  for (auto &[text, message] : cases) {
    writeFile(text, 4);
    EXPECT_EQ(errorOf(), message) << text;
  }
}

TEST_F(Npy, NeverCrashesOnChangedBytes) {
  writeFile(header("<f4", "(2, 3)"), 24);
  std::string bytes = readBytes();
  uint32_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = bytes;
    for (int change = 0; change < 2; ++change) {
      state = state * 1664525u + 1013904223u;
      changed[(state >> 8) % changed.size()] = static_cast<char>(state >> 24);
    }
    writeBytes(changed);
    try {
      readNpy(path);
    } catch (const ToolError &) {
    }
  }
}

TEST_F(Npy, WritingNeedsAPath) {
  try {
    writeNpy("/nonexistent/y.npy", Tensor(ElementType::F32, {1}));
    FAIL() << "expects an error";
  } catch (const ToolError &error) {
    EXPECT_EQ(error.code, ExitEnvironment);
    EXPECT_STREQ(error.what(), "/nonexistent/y.npy: expects a path that can be "
                               "written, but got: No such file or directory");
  }
}
