// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTAs of a multiprocessor, by hand from the CUDA programming guide's limits.

#include "hk/Target/NVPTX/Occupancy.h"

#include "hk/Target/NVPTX/Arch.h"

#include <gtest/gtest.h>

using hk::findArch;
using hk::getRegisterLimit;
using hk::getResidentCTAs;

namespace {

TEST(Occupancy, Registers) {
  const hk::Arch &arch = *findArch("sm_80");
  // 65536 registers: 2048 threads with 32, 1024 with 64.
  EXPECT_EQ(getResidentCTAs(arch, 256, 0, 32), 8u);
  EXPECT_EQ(getResidentCTAs(arch, 256, 0, 64), 4u);
  EXPECT_EQ(getResidentCTAs(arch, 256, 0, 65), 3u);
  // A scheduler has 16384, for 5 warps with 96: 20 warps in all.
  EXPECT_EQ(getResidentCTAs(arch, 128, 0, 96), 5u);
  EXPECT_EQ(getResidentCTAs(arch, 160, 0, 96), 4u);
  EXPECT_EQ(getResidentCTAs(arch, 192, 0, 96), 3u);
  EXPECT_EQ(getResidentCTAs(arch, 384, 0, 168), 1u);
  EXPECT_EQ(getResidentCTAs(arch, 384, 0, 176), 0u);
  // Part of a warp is a warp.
  EXPECT_EQ(getResidentCTAs(arch, 129, 0, 96), 4u);
}

TEST(Occupancy, OtherLimits) {
  const hk::Arch &ampere = *findArch("sm_80"), &small = *findArch("sm_86"),
                 &hopper = *findArch("sm_90a");
  // Threads, 2048 or 1536, and CTAs, 32 or 16.
  EXPECT_EQ(getResidentCTAs(ampere, 1024, 0, 16), 2u);
  EXPECT_EQ(getResidentCTAs(small, 1024, 0, 16), 1u);
  EXPECT_EQ(getResidentCTAs(ampere, 32, 0, 16), 32u);
  EXPECT_EQ(getResidentCTAs(small, 32, 0, 16), 16u);
  // Shared memory, and the KiB of each CTA: of 100 and of 228.
  EXPECT_EQ(getResidentCTAs(small, 64, 99 * 1024, 16), 1u);
  EXPECT_EQ(getResidentCTAs(small, 64, 49 * 1024, 16), 2u);
  EXPECT_EQ(getResidentCTAs(small, 64, 49 * 1024 + 1, 16), 1u);
  EXPECT_EQ(getResidentCTAs(hopper, 64, 56 * 1024, 16), 4u);
}

TEST(Occupancy, LimitOfRegisters) {
  EXPECT_EQ(getRegisterLimit(256, 1), 255u);
  EXPECT_EQ(getRegisterLimit(256, 2), 128u);
  // 24 warps, 6 of each scheduler: 85.
  EXPECT_EQ(getRegisterLimit(256, 3), 80u);
  // 15 warps: one scheduler has 4.
  EXPECT_EQ(getRegisterLimit(160, 3), 128u);
  EXPECT_EQ(getRegisterLimit(384, 1), 168u);
  EXPECT_EQ(getRegisterLimit(1024, 1), 64u);
  EXPECT_EQ(getRegisterLimit(1024, 2), 32u);
}

TEST(Occupancy, SoManyFit) {
  const hk::Arch &arch = *findArch("sm_90a");
  for (unsigned threads = 32; threads <= 1024; threads += 32)
    for (unsigned ctas = 1; ctas <= 32 && ctas * threads <= 2048; ++ctas)
      EXPECT_GE(
          getResidentCTAs(arch, threads, 0, getRegisterLimit(threads, ctas)),
          ctas)
          << ctas << " CTAs of " << threads;
}

} // namespace
