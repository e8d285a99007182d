// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/oracle_check.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hk::tools;

TEST(SampleSequences, FirstLastShortestAndOthers) {
  CheckOptions options;
  options.samples = 5;
  std::vector<int64_t> tokens(100, 9);
  tokens[42] = 1;
  std::vector<int64_t> sample = sampleSequences(options, 100, tokens);
  EXPECT_EQ(sample.size(), 5u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  for (int64_t expected : {0, 42, 99})
    EXPECT_TRUE(std::count(sample.begin(), sample.end(), expected));
  EXPECT_EQ(sample, sampleSequences(options, 100, tokens));
  options.seed = 5;
  EXPECT_NE(sample, sampleSequences(options, 100, tokens));
}

TEST(SampleSequences, SmallBatchesAndAll) {
  CheckOptions options;
  EXPECT_EQ(sampleSequences(options, 0, {}), std::vector<int64_t>());
  EXPECT_EQ(sampleSequences(options, 3, {}), (std::vector<int64_t>{0, 1, 2}));
  options.samples = 1;
  EXPECT_EQ(sampleSequences(options, 9, {}), std::vector<int64_t>{0});
  options.all = true;
  EXPECT_EQ(sampleSequences(options, 50, {}).size(), 50u);
}
