// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of diverged warps, and instructions between lanes.
#include "harness.h"

using namespace hk::emulator;

namespace {

/// Runs `body` on `threads` threads; %r1 is the thread's number, %r0 its
/// result.
std::vector<uint32_t> lanes(const std::string &body, uint32_t threads = 32) {
  Device device;
  const uint64_t out = device.allocate(threads * 4);
  device.config.block = {threads, 1, 1};
  device.argument(out);
  device.run(kernelText("mov.u32 %r1, %tid.x;\n" + body +
                            "\nmul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, "
                            "%rd31; st.global.u32 [%rd1], %r0;",
                        1));
  return device.download<uint32_t>(out, threads);
}

TEST(Warp, ShuffleModes) {
  const auto up = lanes("shfl.sync.up.b32 %r0, %r1, 3, 0, -1;");
  const auto down = lanes("shfl.sync.down.b32 %r0, %r1, 3, 31, -1;");
  const auto bfly = lanes("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;");
  const auto idx = lanes("shfl.sync.idx.b32 %r0, %r1, 7, 31, -1;");
  // Segments of 8 lanes: mask 24 in bits 8 to 12.
  const auto segment = lanes("shfl.sync.idx.b32 %r0, %r1, 2, 0x181f, -1;");
  const auto inRange = lanes("shfl.sync.down.b32 %r2|%p1, %r1, 30, 31, -1;"
                             "selp.u32 %r0, 1, 0, %p1;");
  for (uint32_t l = 0; l < 32; ++l) {
    EXPECT_EQ(up[l], l < 3 ? l : l - 3);
    EXPECT_EQ(down[l], l > 28 ? l : l + 3);
    EXPECT_EQ(bfly[l], l ^ 5);
    EXPECT_EQ(idx[l], 7u);
    EXPECT_EQ(segment[l], (l & 24) + 2);
    EXPECT_EQ(inRange[l], l < 2 ? 1u : 0u);
  }
}

TEST(Warp, VoteMatchReduxElect) {
  const std::string odd = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;";
  EXPECT_EQ(lanes(odd + "vote.sync.ballot.b32 %r0, %p1, -1;")[3], 0xaaaaaaaau);
  EXPECT_EQ(lanes(odd + "vote.sync.ballot.b32 %r0, !%p1, -1;")[3], 0x55555555u);
  EXPECT_EQ(lanes(odd + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, "
                        "%p2;")[0],
            1u);
  EXPECT_EQ(lanes(odd + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, "
                        "%p2;")[1],
            0u);
  EXPECT_EQ(lanes("shr.u32 %r2, %r1, 2; match.any.sync.b32 %r0, %r2, -1;")[5],
            0xf0u);
  EXPECT_EQ(lanes("redux.sync.add.u32 %r0, %r1, -1;")[9], 31u * 16);
  EXPECT_EQ(lanes("redux.sync.max.s32 %r0, %r1, -1;")[9], 31u);
  const auto elected = lanes("elect.sync %r2|%p1, -1; selp.u32 %r0, 1, 0, "
                             "%p1;");
  EXPECT_EQ(elected[0], 1u);
  EXPECT_EQ(elected[1], 0u);
}

TEST(Warp, DivergedLanesMeetAgain) {
  // Lane l goes round l times; then all vote.
  const auto counts = lanes("mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0;\n"
                            "@%p1 bra out; loop: add.u32 %r2, %r2, 1;\n"
                            "setp.lt.u32 %p2, %r2, %r1; @%p2 bra loop; out:\n"
                            "shfl.sync.idx.b32 %r0, %r2, 31, 31, -1;\n"
                            "shl.b32 %r0, %r0, 8; or.b32 %r0, %r0, %r2;");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(counts[l], 31u << 8 | l);
  // Both sides of a branch, each with its own members.
  const auto sides =
      lanes("setp.lt.u32 %p1, %r1, 16; @%p1 bra low;\n"
            "shfl.sync.idx.b32 %r0, %r1, 20, 31, 0xffff0000; bra out;\n"
            "low: shfl.sync.idx.b32 %r0, %r1, 4, 31, 0xffff; out:");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(sides[l], l < 16 ? 4u : 20u);
}

TEST(Warp, SpecialRegisters) {
  Device device;
  device.config.grid = {2, 3, 1};
  device.config.block = {8, 4, 2};
  const uint64_t out = device.allocate(6 * 64 * 4);
  device.argument(out);
  device.run(kernelText(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
      "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ctaid.x;\n"
      "mov.u32 %r7, %ctaid.y; mov.u32 %r8, %nctaid.x; mov.u32 %r9, %laneid;\n"
      "mov.u32 %r10, %warpid; mad.lo.u32 %r11, %r3, %r5, %r2;\n"
      "mad.lo.u32 %r11, %r11, %r4, %r1; mad.lo.u32 %r12, %r7, %r8, %r6;\n"
      "mad.lo.u32 %r13, %r12, 64, %r11; mad.lo.u32 %r14, %r10, 32, %r9;\n"
      "sub.u32 %r15, %r14, %r11; mul.wide.u32 %rd1, %r13, 4;\n"
      "add.u64 %rd1, %rd1, %rd31; add.u32 %r15, %r15, %r13;\n"
      "st.global.u32 [%rd1], %r15;",
      1));
  const auto got = device.download<uint32_t>(out, 6 * 64);
  for (uint32_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], i);
}

std::string warpFault(const std::string &body, uint32_t threads = 32) {
  Device device;
  device.config.block = {threads, 1, 1};
  device.options.budget = 100000;
  return device.fault(kernelText("mov.u32 %r1, %tid.x;\n" + body, 0));
}

TEST(WarpFault, MissingLanes) {
  const std::string lost = warpFault("setp.lt.u32 %p1, %r1, 7; @%p1 ret;\n"
                                     "shfl.sync.idx.b32 %r2, %r1, 8, 31, -1;");
  EXPECT_NE(lost.find("expects all threads of the member mask to reach"),
            std::string::npos)
      << lost;
  const std::string stuck =
      warpFault("setp.lt.u32 %p1, %r1, 7; @%p1 bra low;\n"
                "shfl.sync.idx.b32 %r2, %r1, 8, 31, -1; ret;\n"
                "low: bar.sync 0;");
  EXPECT_NE(stuck.find("got a deadlock"), std::string::npos) << stuck;
  EXPECT_NE(stuck.find("lanes 0x7f: waits for lanes of its warp"),
            std::string::npos)
      << stuck;
  EXPECT_NE(warpFault("shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;")
                .find("expects the executing thread in the member mask"),
            std::string::npos);
  EXPECT_NE(warpFault("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", 16)
                .find("lanes that do not exist"),
            std::string::npos);
}

TEST(WarpFault, EndlessLoopAndMissingEnd) {
  const std::string endless = warpFault("again: bra again;");
  EXPECT_NE(endless.find("got an endless loop near line"), std::string::npos)
      << endless;
  Device device;
  const std::string end = device.fault(
      ".version 8.0\n.target sm_80\n.entry test() { .reg .b32 r; mov.u32 r, "
      "1; }");
  EXPECT_NE(end.find("expects 'ret' at the end of the kernel"),
            std::string::npos)
      << end;
}

} // namespace
