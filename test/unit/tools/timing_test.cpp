// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing.h"

#include <gtest/gtest.h>

using namespace hk::tools;

TEST(Timing, CallsWarmupAndRepeats) {
  int calls = 0;
  Timing timing = measure(2, 5, [&] { ++calls; });
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(timing.repeats, 5);
  EXPECT_LE(timing.min, timing.p10);
  EXPECT_LE(timing.p10, timing.median);
  EXPECT_LE(timing.median, timing.p90);
}

TEST(Timing, Formats) {
  EXPECT_EQ(formatSeconds(1.5), "1.500 s");
  EXPECT_EQ(formatSeconds(0.01234), "12.34 ms");
  EXPECT_EQ(formatSeconds(45.6e-6), "45.6 us");
  EXPECT_EQ(formatBytes(100), "100 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(3u << 20), "3.0 MiB");
}
