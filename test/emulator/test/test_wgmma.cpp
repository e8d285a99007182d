// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma against float64: every swizzle, both majors, A from registers; and
// waits that are missing or off by one.
#include "float_format.h"
#include "harness.h"

#include <cmath>
#include <random>

using namespace hk::emulator;

namespace {

/// A tile of R rows (M or N) and K columns (k) of halves, as shared memory
/// holds it. Rows of `span` bytes; 16-byte chunk c of row r lies at
/// c ^ (r mod 8) of 8 chunks (128 bytes), of 4 by r / 2 (64), of 2 by r / 4
/// (32).
struct Tile {
  std::vector<uint16_t> image;
  uint64_t descriptor;
};

Tile makeTile(const std::vector<double> &values, unsigned rows, unsigned k,
              unsigned span, bool transposed, uint32_t start) {
  const unsigned across = transposed ? k : rows;
  const unsigned perSpan = span / 2;
  const unsigned spanBytes = across * span; // spans apart
  Tile tile;
  tile.image.assign(rows * k, 0);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned j = 0; j < k; ++j) {
      const unsigned a = transposed ? r : j, line = transposed ? j : r;
      const unsigned chunk = a % perSpan / 8;
      const unsigned swizzled = chunk ^ (line * span / 128 % (span / 16));
      const unsigned byte =
          a / perSpan * spanBytes + line * span + swizzled * 16 + a % 8 * 2;
      tile.image[byte / 2] = halfFromDouble(values[r * k + j]);
    }
  const uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  const uint64_t leading = spanBytes / 16, stride = 8 * span / 16;
  // Without swizzling and major in M or N, the offsets change places.
  const bool swapped = transposed && mode == 0;
  tile.descriptor = (start >> 4) | (swapped ? stride : leading) << 16 |
                    (swapped ? leading : stride) << 32 | mode << 62;
  return tile;
}

struct Case {
  unsigned span;
  bool transposeA, transposeB, registerA;
};

constexpr unsigned kN = 64, kK = 16;

std::string kernel(const Case &p) {
  std::ostringstream out;
  out << "mov.u32 %r1, %tid.x;\n"
         // 64 x 16 halves of A at 0, of B at 2048: 16 bytes a thread each.
         "shl.b32 %r2, %r1, 4; cvt.u64.u32 %rd1, %r2;\n"
         "add.u64 %rd2, %rd31, %rd1; ld.global.v4.u32 {%r3,%r4,%r5,%r6}, "
         "[%rd2];\n"
         "st.shared.v4.u32 [%r2], {%r3,%r4,%r5,%r6};\n"
         "add.u64 %rd3, %rd30, %rd1; ld.global.v4.u32 {%r3,%r4,%r5,%r6}, "
         "[%rd3];\n"
         "st.shared.v4.u32 [%r2+2048], {%r3,%r4,%r5,%r6};\n"
         "fence.proxy.async.shared::cta; bar.sync 0;\n"
         "ld.global.v2.u64 {%rd4, %rd5}, [%rd28];\n";
  if (p.registerA) {
    // Row g of the warp's 16, columns 2t: A is plain in global memory.
    out << "shr.u32 %r7, %r1, 5; and.b32 %r8, %r1, 31; shr.u32 %r9, %r8, 2;\n"
           "and.b32 %r10, %r1, 3; mad.lo.u32 %r9, %r7, 16, %r9;\n"
           "mul.lo.u32 %r9, %r9, 32; mad.lo.u32 %r9, %r10, 4, %r9;\n"
           "cvt.u64.u32 %rd6, %r9; add.u64 %rd6, %rd6, %rd31;\n"
           "ld.global.u32 %r20, [%rd6]; ld.global.u32 %r21, [%rd6+256];\n"
           "ld.global.u32 %r22, [%rd6+16]; ld.global.u32 %r23, [%rd6+272];\n";
  }
  std::string accumulators;
  for (unsigned i = 0; i < kN / 2; ++i)
    accumulators += (i ? ", %f" : "%f") + std::to_string(i);
  const std::string a = p.registerA ? "{%r20, %r21, %r22, %r23}" : "%rd4";
  const auto multiply = [&](const char *scale) {
    out << "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        << accumulators << "}, " << a << ", %rd5, " << scale << ", 1, 1, "
        << (p.registerA    ? ""
            : p.transposeA ? "1, "
                           : "0, ")
        << (p.transposeB ? 1 : 0) << ";\n";
  };
  // The product twice: fresh, then on top.
  out << "setp.ne.u32 %p1, %r1, %r1; setp.eq.u32 %p2, %r1, %r1;\n"
         "wgmma.fence.sync.aligned;\n";
  multiply("%p1");
  out << "wgmma.commit_group.sync.aligned;\n";
  multiply("%p2");
  out << "wgmma.commit_group.sync.aligned;\n"
         "wgmma.wait_group.sync.aligned 0;\n"
         "mul.wide.u32 %rd7, %r1, 128; add.u64 %rd7, %rd7, %rd29;\n";
  for (unsigned i = 0; i < kN / 2; ++i)
    out << "st.global.f32 [%rd7+" << 4 * i << "], %f" << i << ";\n";
  // The name makes the variable part of the kernel; it lies at 0.
  return kernelText("mov.u32 %r50, smem;\n" + out.str(), 4,
                    ".shared .align 1024 .b8 smem[4096];\n");
}

/// The largest error of 2 * A * B; throws Fault.
double run(Device &device, const Case &p, const std::string &ptx) {
  std::mt19937 generator(6);
  std::normal_distribution<double> normal;
  std::vector<double> a(64 * kK), b(kN * kK);
  for (double &v : a)
    v = static_cast<double>(halfToFloat(halfFromDouble(normal(generator))));
  for (double &v : b)
    v = static_cast<double>(halfToFloat(halfFromDouble(normal(generator))));
  Tile tileA = makeTile(a, 64, kK, p.span, p.transposeA, 0);
  const Tile tileB = makeTile(b, kN, kK, p.span, p.transposeB, 2048);
  if (p.registerA)
    for (size_t i = 0; i < a.size(); ++i)
      tileA.image[i] = halfFromDouble(a[i]);
  const uint64_t out = device.allocate(64 * kN * 4);
  device.config.block = {128, 1, 1};
  device.argument(device.upload(tileA.image))
      .argument(device.upload(tileB.image))
      .argument(out)
      .argument(device.upload(
          std::vector<uint64_t>{tileA.descriptor, tileB.descriptor}));
  device.run(ptx);
  const auto got = device.download<float>(out, 64 * kN);
  double worst = 0;
  for (unsigned m = 0; m < 64; ++m)
    for (unsigned n = 0; n < kN; ++n) {
      double sum = 0;
      for (unsigned j = 0; j < kK; ++j)
        sum += 2 * a[m * kK + j] * b[n * kK + j];
      // Thread of warp m / 16: register 4 (n / 8) + 2 (row / 8) + n % 2.
      const unsigned thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2;
      const unsigned reg = n / 8 * 4 + m % 16 / 8 * 2 + n % 2;
      const double error =
          std::fabs(static_cast<double>(got[thread * kN / 2 + reg]) - sum);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
  return worst;
}

class Wgmma : public testing::TestWithParam<Case> {};

TEST_P(Wgmma, IsTheProductInAllModes) {
  for (const bool lazy : {false, true})
    for (const bool races : {false, true}) {
      Device device;
      device.options.lazy = lazy;
      device.options.races = races;
      EXPECT_LT(run(device, GetParam(), kernel(GetParam())), 1e-4);
    }
}

// K-major tiles of 16 halves are 32 bytes wide; tiles of 64 rows that are major
// in M or N fill a span of 128 bytes.
INSTANTIATE_TEST_SUITE_P(
    Layouts, Wgmma,
    testing::Values(Case{32, false, false, false},
                    Case{16, false, false, false}, Case{128, true, true, false},
                    Case{64, true, true, false}, Case{32, true, true, false},
                    Case{16, true, true, false}, Case{32, false, false, true},
                    Case{128, true, true, true}),
    [](const auto &info) {
      const Case &p = info.param;
      return std::string(p.registerA    ? "Registers"
                         : p.transposeA ? "M"
                                        : "K") +
             (p.transposeB ? "N" : "K") + "Swizzle" + std::to_string(p.span);
    });

std::string fault(const std::string &from, const std::string &to, bool lazy,
                  bool races) {
  const Case p{32, false, false, false};
  Device device;
  device.options.lazy = lazy;
  device.options.races = races;
  try {
    run(device, p, mutate(kernel(p), from, to));
  } catch (const Fault &fault) {
    return fault.what();
  }
  return "no fault";
}

TEST(WgmmaFault, WaitsThatAreWrong) {
  const std::string wait = "wgmma.wait_group.sync.aligned ";
  for (const bool lazy : {false, true}) {
    EXPECT_NE(fault(wait + "0;", wait + "1;", lazy, false)
                  .find("expects wgmma.wait_group before its accumulators are "
                        "used, but got '%f0', which is in flight"),
              std::string::npos);
    EXPECT_NE(fault(wait + "0;", "", lazy, false).find("which is in flight"),
              std::string::npos);
    EXPECT_NE(fault("wgmma.commit_group.sync.aligned;", "", lazy, false)
                  .find("which is in flight"),
              std::string::npos);
  }
}

TEST(WgmmaFault, FenceIsMissing) {
  // A's registers are loaded just before.
  const Case p{32, false, false, true};
  Device device;
  device.options.races = true;
  try {
    run(device, p, mutate(kernel(p), "wgmma.fence.sync.aligned;", "", 1));
    FAIL();
  } catch (const Fault &fault) {
    EXPECT_NE(std::string(fault.what())
                  .find("expects wgmma.fence between a write of a register and "
                        "its use, but got none after '%r20' was written"),
              std::string::npos)
        << fault.what();
  }
}

TEST(WgmmaFault, OperandsThatAreNotThere) {
  EXPECT_NE(fault("fence.proxy.async.shared::cta;", "", false, true)
                .find("expects a fence.proxy.async between"),
            std::string::npos);
  EXPECT_NE(fault("bar.sync 0;", "", false, false).find("expects initialised"),
            std::string::npos);
  // The accumulators' first use must not read them.
  EXPECT_NE(fault("%rd5, %p1,", "%rd5, %p2,", false, false)
                .find("expects a written register, but got '%f0'"),
            std::string::npos);
}

} // namespace
