// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of every space, atomics, and each check of memory.
#include "harness.h"

using namespace hk::emulator;

namespace {

TEST(Memory, VectorsAndNarrowTypes) {
  Device device;
  const uint64_t in = device.upload(std::vector<uint32_t>{1, 2, 3, 0xfffffff0});
  const uint64_t out = device.allocate(32);
  device.argument(in).argument(out);
  device.run(kernelText(
      "prefetch.global.L2 [%rd31]; prefetch.global.L2::evict_last [%rd31];\n"
      "ld.global.nc.L1::no_allocate.v4.u32 {%r1, %r2, %r3, %r4}, [%rd31];\n"
      "st.global.v2.u32 [%rd30], {%r4, %r3};\n"
      "st.global.cs.v2.b32 [%rd30+8], {%r2, %r1};\n"
      "ld.global.s8 %r5, [%rd31+12]; ld.global.u8 %r6, [%rd31+12];\n"
      "ld.global.s16 %r7, [%rd31+12]; st.global.u32 [%rd30+16], %r5;\n"
      "st.global.u32 [%rd30+20], %r6; st.global.u32 [%rd30+24], %r7;\n"
      "st.global.u8 [%rd30+28], 300; st.global.u8 [%rd30+29], 1;\n"
      "st.global.u16 [%rd30+30], %r1;",
      2));
  EXPECT_EQ(device.download<uint32_t>(out, 8),
            (std::vector<uint32_t>{0xfffffff0, 3, 2, 1, 0xfffffff0, 0xf0,
                                   0xfffffff0, 0x0001012c}));
}

TEST(Memory, SharedLocalConstAndGeneric) {
  Device device;
  const uint64_t out = device.allocate(16);
  device.argument(out);
  device.config.sharedBytes = 64;
  device.run(kernelText(
      ".local .align 8 .b8 depot[16];\n"
      "mov.u32 %r1, fixed; st.shared.u32 [%r1+4], 5;\n"
      "st.shared.u32 [dynamic], 6;\n"
      "mov.u64 %rd2, dynamic;\n"
      "cvta.shared.u64 %rd3, %rd2; ld.u32 %r2, [%rd3];\n"
      "mov.u64 %rd4, depot; cvta.local.u64 %rd5, %rd4;\n"
      "st.u32 [%rd5+8], 7; ld.local.u32 %r3, [%rd4+8];\n"
      "ld.const.u32 %r4, [table+4]; ld.shared.u32 %r5, [fixed+4];\n"
      "st.global.v4.u32 [%rd31], {%r2, %r3, %r4, %r5};",
      1,
      ".shared .align 4 .b8 fixed[16];\n.extern .shared .align 16 .b8 "
      "dynamic[];\n.const .align 4 .u32 table[2] = {8, 9};\n"));
  EXPECT_EQ(device.download<uint32_t>(out, 4),
            (std::vector<uint32_t>{6, 7, 9, 5}));
}

TEST(Memory, GlobalVariablesStartAsWritten) {
  Device device;
  const uint64_t out = device.allocate(8);
  device.argument(out);
  device.run(kernelText("ld.global.u32 %r1, [counter]; ld.global.u32 %r2, "
                        "[zero]; st.global.v2.u32 [%rd31], {%r1, %r2};",
                        1,
                        ".visible .global .align 4 .u32 counter = 42;\n.global "
                        ".align 4 .u32 zero;\n"));
  EXPECT_EQ(device.download<uint32_t>(out, 2), (std::vector<uint32_t>{42, 0}));
}

TEST(Memory, Atomics) {
  Device device;
  device.config.block = {64, 1, 1};
  const uint64_t data =
      device.upload(std::vector<uint32_t>{0, 0xffffffff, 0, 5, 0});
  device.argument(data);
  device.run(kernelText(
      "mov.u32 %r1, %tid.x; atom.global.add.u32 %r2, [%rd31], %r1;\n"
      "red.global.min.u32 [%rd31+4], %r1; atom.global.max.s32 %r3, [%rd31+8], "
      "%r1;\n"
      "setp.eq.u32 %p1, %r1, 0; @%p1 atom.global.cas.b32 %r4, [%rd31+12], 5, "
      "6;\n"
      "red.relaxed.gpu.global.add.f32 [%rd31+16], 0f3F800000;",
      1));
  const auto got = device.download<uint32_t>(data, 5);
  EXPECT_EQ(got, (std::vector<uint32_t>{63 * 64 / 2, 0, 63, 6, bits(64.0f)}));
}

struct Case {
  const char *name;
  const char *body;
  const char *message;
};

class MemoryFault : public testing::TestWithParam<Case> {};

TEST_P(MemoryFault, IsReported) {
  Device device;
  const uint64_t in = device.upload(std::vector<uint32_t>{1, 2, 3, 4});
  const uint64_t out = device.allocate(16);
  device.argument(in).argument(out);
  device.config.sharedBytes = 64;
  device.config.block = {32, 1, 1};
  const std::string message = device.fault(kernelText(
      GetParam().body, 2, ".extern .shared .align 16 .b8 smem[];\n"));
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_NE(message.find("line "), std::string::npos) << message;
  EXPECT_NE(message.find("CTA (0, 0, 0) thread "), std::string::npos)
      << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, MemoryFault,
    testing::Values(
        Case{"PastTheEnd", "ld.global.u32 %r1, [%rd31+16];",
             "expects an access inside input of 16 bytes, but got 4 bytes at "
             "offset 16"},
        Case{"Nowhere", "mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1];",
             "which is in no allocation"},
        Case{"GlobalMisaligned", "ld.global.v2.u32 {%r1, %r2}, [%rd31+4];",
             "expects an address aligned to 8 bytes"},
        Case{"GlobalUninitialised", "ld.global.u32 %r1, [%rd30+4];",
             "expects initialised memory, but nothing wrote byte 4"},
        Case{"SharedUninitialised", "ld.shared.u32 %r1, [smem+8];",
             "expects initialised memory, but nothing wrote shared byte 8"},
        Case{"SharedPastTheEnd", "st.shared.u32 [smem+64], 1;",
             "inside the 64 bytes of shared memory"},
        Case{"SharedMisaligned", "st.shared.u64 [smem+4], 1;",
             "aligned to 8 bytes"},
        Case{"OnlyOneThread",
             "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, -60; "
             "setp.ge.u32 %p1, %r1, 15; @%p1 st.shared.u32 [%r2], %r1;",
             "thread 31"},
        Case{"RegisterUnwritten", "add.u32 %r1, %r2, 1;",
             "expects a written register, but got '%r2'"},
        Case{"RegisterUnwrittenInSomeLanes",
             "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 mov.u32 %r2, "
             "1; add.u32 %r3, %r2, 1;",
             "thread 7: expects a written register"},
        Case{"Trap", "trap;", "trapped"}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
