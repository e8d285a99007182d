// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "quiet_core.h"

#include <gtest/gtest.h>

using namespace hk::tools;

namespace {

cpu_set_t getCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

TEST(QuietCore, TellsWorkThatTakesLonger) {
  QuietCore core;
  EXPECT_TRUE(QuietCore::isQuiet(0));
  // A second is never what a microsecond's work takes.
  EXPECT_FALSE(QuietCore::isQuiet(1));
  const double seconds = coreWork();
  EXPECT_GT(seconds, 1e-8);
  EXPECT_LT(seconds, 1);
}

TEST(QuietCore, StaysOnOneAndIsPutBack) {
  const cpu_set_t before = getCores();
  {
    QuietCore core;
    core.find();
    const cpu_set_t moved = getCores();
    EXPECT_EQ(CPU_COUNT(&moved), 1);
    cpu_set_t both;
    CPU_AND(&both, &moved, &before);
    EXPECT_EQ(CPU_COUNT(&both), 1) << "one that it may run on";
  }
  const cpu_set_t after = getCores();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

} // namespace
