// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/MemoryPlan.h"

#include <gtest/gtest.h>
#include <random>

namespace {

using hk::BufferLifetime;
using hk::MemoryPlan;

MemoryPlan planMemory(const std::vector<BufferLifetime> &buffers) {
  return hk::planMemory(buffers, 256);
}

/// No two buffers that are alive at one step share a byte.
void expectDisjoint(const std::vector<BufferLifetime> &buffers,
                    const MemoryPlan &plan) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 256, 0);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.size);
    for (size_t j = 0; j < i; ++j) {
      bool together = buffers[i].begin <= buffers[j].end &&
                      buffers[j].begin <= buffers[i].end;
      bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                   plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(!together || apart) << i << " and " << j;
    }
  }
}

TEST(MemoryPlan, NoBuffers) {
  MemoryPlan plan = planMemory({});
  EXPECT_EQ(plan.size, 0);
  EXPECT_TRUE(plan.offsets.empty());
}

TEST(MemoryPlan, RoundsSizesUp) {
  MemoryPlan plan = planMemory({{1, 0, 1}, {257, 0, 1}});
  EXPECT_EQ(plan.size, 768);
}

TEST(MemoryPlan, DeadBuffersGiveTheirBytes) {
  // 0 is read last by step 1, so step 2 may write there.
  MemoryPlan plan = planMemory({{512, 0, 1}, {512, 2, 3}});
  EXPECT_EQ(plan.offsets[0], 0);
  EXPECT_EQ(plan.offsets[1], 0);
  EXPECT_EQ(plan.size, 512);
}

TEST(MemoryPlan, AStepDoesNotWriteWhatItReads) {
  MemoryPlan plan = planMemory({{512, 0, 1}, {512, 1, 2}});
  EXPECT_EQ(plan.size, 1024);
}

TEST(MemoryPlan, UnreadResultsKeepTheirStep) {
  // Both results of step 0 are written, though nobody reads the second.
  MemoryPlan plan = planMemory({{256, 0, 1}, {256, 0, 0}, {256, 1, 2}});
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.offsets[1], plan.offsets[2]);
  EXPECT_EQ(plan.size, 512);
}

TEST(MemoryPlan, LargeBuffersFirst) {
  // In order of time the small one would lie at 0, and the large one, which
  // outlives it, behind it.
  MemoryPlan plan = planMemory({{256, 0, 1}, {1024, 1, 3}, {768, 2, 3}});
  EXPECT_EQ(plan.offsets[1], 0);
  EXPECT_EQ(plan.offsets[0], 1024);
  EXPECT_EQ(plan.offsets[2], 1024);
  EXPECT_EQ(plan.size, 1792);
}

TEST(MemoryPlan, FillsGaps) {
  // The third fits between the second, which is dead by then, and the fourth.
  MemoryPlan plan =
      planMemory({{1024, 0, 9}, {512, 0, 1}, {256, 2, 3}, {512, 0, 9}});
  EXPECT_EQ(plan.offsets[2], plan.offsets[1]);
}

TEST(MemoryPlan, LayersAlternateBetweenTwoPlaces) {
  // x_l is read by steps 2l and 2l + 1, t_l by step 2l + 1: any depth needs
  // one t and two x.
  std::vector<BufferLifetime> buffers;
  for (unsigned l = 0; l < 24; ++l) {
    buffers.push_back({3 * 4096, 2 * l, 2 * l + 1});
    buffers.push_back({4096, 2 * l + 1, 2 * l + 3});
  }
  MemoryPlan plan = planMemory(buffers);
  expectDisjoint(buffers, plan);
  EXPECT_EQ(plan.size, 5 * 4096);
}

TEST(MemoryPlan, RandomLifetimes) {
  std::mt19937 random(1234);
  for (int round = 0; round < 100; ++round) {
    std::vector<BufferLifetime> buffers;
    for (int i = 0; i < 40; ++i) {
      unsigned begin = random() % 30;
      buffers.push_back({static_cast<int64_t>(random() % 5000 + 1), begin,
                         begin + static_cast<unsigned>(random() % 6)});
    }
    MemoryPlan plan = planMemory(buffers);
    expectDisjoint(buffers, plan);
    EXPECT_EQ(plan.offsets, planMemory(buffers).offsets);
  }
}

} // namespace
