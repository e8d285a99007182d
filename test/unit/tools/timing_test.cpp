// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/progress.h"
#include "common/timing.h"

#include <gtest/gtest.h>

#include <memory>

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

static std::string progressOf(std::chrono::milliseconds interval) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::tmpfile(),
                                                        std::fclose);
  Progress progress("checking", 3, file.get(), interval);
  for (int64_t done = 1; done <= 3; ++done)
    progress.update(done);
  std::string text(256, '\0');
  std::rewind(file.get());
  text.resize(std::fread(&text[0], 1, text.size(), file.get()));
  return text;
}

TEST(Progress, PlainLines) {
  EXPECT_EQ(progressOf(std::chrono::milliseconds(0)),
            "checking: 1 of 3\nchecking: 2 of 3\nchecking: 3 of 3\n");
}

TEST(Progress, ShortWorkIsSilent) {
  EXPECT_EQ(progressOf(std::chrono::seconds(60)), "");
}
