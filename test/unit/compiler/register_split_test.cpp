// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How registers are shared out between warps that copy and warps that compute;
// every number was found by hand.

#include "hk/Dialect/Tile/RegisterSplit.h"

#include <gtest/gtest.h>

namespace {

using hk::tile::RegisterSplit;

constexpr int64_t kSM = 65536;

void expectSplit(int64_t units, int64_t ctas, int64_t launch,
                 int64_t consumer) {
  auto split = RegisterSplit::get(units, /*producers=*/4, ctas, kSM);
  ASSERT_TRUE(split) << units << " units, " << ctas << " CTAs";
  EXPECT_EQ(split->launch, launch) << units << " units, " << ctas << " CTAs";
  EXPECT_EQ(split->producer, 32);
  EXPECT_EQ(split->consumer, consumer)
      << units << " units, " << ctas << " CTAs";
}

TEST(RegisterSplit, ByHand) {
  // 32768 of 256 threads are 128 each; 128 threads have 96 to give away.
  expectSplit(4, 2, 128, 224);
  // 21845 are 85 each, so 80; (20480 - 4096) / 128.
  expectSplit(4, 3, 80, 128);
  // 65536 of 384 threads are 170, so 168; (64512 - 4096) / 256 = 236, so 232.
  expectSplit(8, 1, 168, 232);
  // 85 each, so 80; (30720 - 4096) / 256 = 104.
  expectSplit(8, 2, 80, 104);
  // 128 each; (65536 - 4096) / 384 = 160.
  expectSplit(12, 1, 128, 160);
}

TEST(RegisterSplit, WhereNothingIsGained) {
  // All threads have the most that one can have.
  EXPECT_FALSE(RegisterSplit::get(4, 4, 1, kSM));
  // 8192 of 256 threads are 32: as many as copies need.
  EXPECT_FALSE(RegisterSplit::get(4, 4, 8, kSM));
}

TEST(RegisterSplit, WholeWarpgroups) {
  EXPECT_FALSE(RegisterSplit::get(6, 4, 2, kSM));
  EXPECT_FALSE(RegisterSplit::get(4, 1, 2, kSM));
  EXPECT_FALSE(RegisterSplit::get(4, 0, 2, kSM));
  // Nobody says how many CTAs share an SM.
  EXPECT_FALSE(RegisterSplit::get(4, 4, 0, kSM));
}

TEST(RegisterSplit, NoneThatThereAreNot) {
  int64_t found = 0;
  for (int64_t units : {4, 8, 12, 16})
    for (int64_t producers : {4, 8})
      for (int64_t ctas = 1; ctas <= 8; ++ctas) {
        auto split = RegisterSplit::get(units, producers, ctas, kSM);
        if (!split)
          continue;
        ++found;
        int64_t launched = split->launch * 32 * (units + producers);
        EXPECT_LE(ctas * launched, kSM);
        EXPECT_LE(32 * (split->consumer * units + split->producer * producers),
                  launched);
        EXPECT_LT(split->producer, split->launch);
        EXPECT_LT(split->launch, split->consumer);
        EXPECT_LE(split->consumer, 240);
        for (int64_t count : {split->producer, split->launch, split->consumer})
          EXPECT_EQ(count % 8, 0);
      }
  EXPECT_GT(found, 10);
}

} // namespace
