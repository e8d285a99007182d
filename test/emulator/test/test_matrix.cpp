// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix, mma.sync and wgmma against float64 and the layouts of
// the PTX manual.
#include "float_format.h"
#include "harness.h"

#include <cmath>
#include <random>

using namespace hk::emulator;

namespace {

TEST(Matrix, LoadAndStore) {
  // Row r of matrix m holds 100 m + 10 r + c at column c.
  std::vector<uint16_t> data;
  for (unsigned m = 0; m < 4; ++m)
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned c = 0; c < 8; ++c)
        data.push_back(static_cast<uint16_t>(100 * m + 10 * r + c));
  for (const bool transposed : {false, true}) {
    const std::string trans = transposed ? ".trans" : "";
    Device device;
    device.config.block = {32, 1, 1};
    const uint64_t out = device.allocate(32 * 16), copy = device.allocate(512);
    device.argument(device.upload(data)).argument(out).argument(copy);
    device.run(kernelText(
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; cvt.u64.u32 %rd1, %r2;\n"
        "mov.u32 %r50, smem;\n"
        "add.u64 %rd2, %rd31, %rd1; ld.global.v4.u32 {%r3,%r4,%r5,%r6}, "
        "[%rd2];\n"
        "st.shared.v4.u32 [%r2], {%r3,%r4,%r5,%r6}; bar.warp.sync -1;\n"
        "ldmatrix.sync.aligned.m8n8.x4" +
            trans +
            ".shared.b16 {%r7,%r8,%r9,%r10}, [%r2];\n"
            "add.u64 %rd3, %rd30, %rd1;\n"
            "st.global.v4.u32 [%rd3], {%r7,%r8,%r9,%r10};\n"
            "stmatrix.sync.aligned.m8n8.x4" +
            trans +
            ".shared.b16 [%r2+512], {%r7,%r8,%r9,%r10};\n"
            "bar.warp.sync -1; ld.shared.v4.u32 {%r3,%r4,%r5,%r6}, "
            "[%r2+512];\n"
            "add.u64 %rd4, %rd29, %rd1;\n"
            "st.global.v4.u32 [%rd4], {%r3,%r4,%r5,%r6};",
        3, ".shared .align 16 .b8 smem[1024];\n"));
    const auto got = device.download<uint32_t>(out, 128);
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned m = 0; m < 4; ++m) {
        const unsigned row = l / 4, column = 2 * (l % 4);
        const unsigned first =
            transposed ? 10 * column + row : 10 * row + column;
        const unsigned second = transposed ? first + 10 : first + 1;
        EXPECT_EQ(got[4 * l + m], (100 * m + first) | (100 * m + second) << 16);
      }
    // stmatrix is the inverse.
    EXPECT_EQ(device.download<uint16_t>(copy, 256), data);
  }
}

struct MmaCase {
  const char *shape, *type;
  unsigned k;
  unsigned bytes; ///< of an operand's element
  bool halfResult;
};

class Mma : public testing::TestWithParam<MmaCase> {};

double decode(const std::string &type, uint32_t bits) {
  if (type == "f16")
    return static_cast<double>(halfToFloat(static_cast<uint16_t>(bits)));
  if (type == "bf16")
    return static_cast<double>(bfloatToFloat(static_cast<uint16_t>(bits)));
  return static_cast<double>(floatFromBits(bits));
}

uint32_t encode(const std::string &type, double value) {
  if (type == "f16")
    return halfFromDouble(value);
  if (type == "bf16")
    return bfloatFromDouble(value);
  return tf32FromFloat(static_cast<float>(value), Rounding::Nearest);
}

TEST_P(Mma, IsTheProduct) {
  const MmaCase &p = GetParam();
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  std::vector<uint32_t> a(16 * p.k), b(p.k * 8), c(16 * 8);
  const std::string result = p.halfResult ? "f16" : "f32";
  for (uint32_t &v : a)
    v = encode(p.type, normal(generator));
  for (uint32_t &v : b)
    v = encode(p.type, normal(generator));
  for (uint32_t &v : c)
    v = p.halfResult ? halfFromDouble(normal(generator))
                     : bitsFromFloat(static_cast<float>(normal(generator)));
  // Fragments as the manual gives them: groupID g, threadID_in_group t.
  const unsigned per = 4 / p.bytes;
  const unsigned countA = 16 * p.k / 32 / per, countB = 8 * p.k / 32 / per;
  const unsigned countC = p.halfResult ? 2 : 4;
  std::vector<uint32_t> in;
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned g = l / 4, t = l % 4;
    for (unsigned i = 0; i < countA; ++i) {
      uint32_t word = 0;
      for (unsigned h = 0; h < per; ++h) {
        const unsigned row = i % 2 ? g + 8 : g;
        const unsigned column = t * per + h + (i >= 2 ? 4 * per : 0);
        word |= a[row * p.k + column] << (16 * h);
      }
      in.push_back(word);
    }
    for (unsigned i = 0; i < countB; ++i) {
      uint32_t word = 0;
      for (unsigned h = 0; h < per; ++h)
        word |= b[(t * per + h + i * 4 * per) * 8 + g] << (16 * h);
      in.push_back(word);
    }
    for (unsigned i = 0; i < countC; ++i)
      in.push_back(p.halfResult ? c[(g + 8 * i) * 8 + 2 * t] |
                                      c[(g + 8 * i) * 8 + 2 * t + 1] << 16
                                : c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2]);
  }
  const unsigned count = countA + countB + countC;
  std::ostringstream body;
  body << "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, " << 4 * count
       << "; add.u64 %rd1, %rd1, %rd31; mul.wide.u32 %rd2, %r1, " << 4 * countC
       << "; add.u64 %rd2, %rd2, %rd30;\n";
  for (unsigned i = 0; i < count; ++i)
    body << "ld.global.u32 %r" << 10 + i << ", [%rd1+" << 4 * i << "];\n";
  const auto list = [&](unsigned first, unsigned n) {
    std::ostringstream out;
    for (unsigned i = 0; i < n; ++i)
      out << (i ? "," : "{") << "%r" << first + i;
    return out.str() + "}";
  };
  body << "mma.sync.aligned." << p.shape << ".row.col." << result << "."
       << p.type << "." << p.type << "." << result << " " << list(40, countC)
       << ", " << list(10, countA) << ", " << list(10 + countA, countB) << ", "
       << list(10 + countA + countB, countC) << ";\n";
  for (unsigned i = 0; i < countC; ++i)
    body << "st.global.u32 [%rd2+" << 4 * i << "], %r" << 40 + i << ";\n";
  Device device;
  device.config.block = {32, 1, 1};
  const uint64_t out = device.allocate(32 * 4 * countC);
  device.argument(device.upload(in)).argument(out);
  device.run(kernelText(body.str(), 2));
  const auto got = device.download<uint32_t>(out, 32 * countC);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double sum = decode(result, c[row * 8 + column]);
      for (unsigned j = 0; j < p.k; ++j)
        sum += decode(p.type, a[row * p.k + j]) *
               decode(p.type, b[j * 8 + column]);
      const unsigned l = row % 8 * 4 + column / 2;
      const uint32_t word = p.halfResult
                                ? got[l * 2 + row / 8] >> (16 * (column % 2))
                                : got[l * 4 + row / 8 * 2 + column % 2];
      EXPECT_NEAR(decode(result, word), sum,
                  p.halfResult ? 1e-3 * std::fabs(sum) + 1e-3 : 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Mma,
    testing::Values(MmaCase{"m16n8k16", "f16", 16, 2, false},
                    MmaCase{"m16n8k8", "f16", 8, 2, false},
                    MmaCase{"m16n8k16", "f16", 16, 2, true},
                    MmaCase{"m16n8k8", "f16", 8, 2, true},
                    MmaCase{"m16n8k16", "bf16", 16, 2, false},
                    MmaCase{"m16n8k8", "bf16", 8, 2, false},
                    MmaCase{"m16n8k8", "tf32", 8, 4, false},
                    MmaCase{"m16n8k4", "tf32", 4, 4, false}),
    [](const auto &info) {
      return std::string(info.param.shape) + info.param.type +
             (info.param.halfResult ? "f16" : "f32");
    });

TEST(MatrixFault, ReportsItsRow) {
  Device device;
  device.config.block = {32, 1, 1};
  const std::string shared = ".shared .align 16 .b8 smem[512];\n";
  EXPECT_NE(device
                .fault(kernelText("mov.u32 %r1, smem; ldmatrix.sync.aligned."
                                  "m8n8.x1.shared.b16 {%r2}, [%r1+8];",
                                  0, shared))
                .find("expects a matrix row aligned to 16 bytes"),
            std::string::npos);
  EXPECT_NE(device
                .fault(kernelText("mov.u32 %r1, smem; ldmatrix.sync.aligned."
                                  "m8n8.x1.shared.b16 {%r2}, [%r1];",
                                  0, shared))
                .find("nothing wrote shared byte 0"),
            std::string::npos);
}

} // namespace
