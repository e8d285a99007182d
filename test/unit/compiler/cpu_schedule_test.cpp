// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CPUSchedule.h"

#include <gtest/gtest.h>

namespace {

using hk::chooseCPUSchedule;
using hk::chooseRows;
using hk::CPUKernelShape;
using hk::CPUSchedule;

constexpr int64_t kLimit = 1536 * 1024;

TEST(CPUSchedule, ShortSequencesAreOneBlock) {
  for (int64_t sequence : {1, 7, 32, 63, 64})
    for (int64_t width : {32, 1024})
      EXPECT_EQ(chooseRows(sequence, width, 12), sequence);
}

TEST(CPUSchedule, SixtyFourWhereItDivides) {
  for (int64_t sequence : {128, 192, 1024, 100032})
    EXPECT_EQ(chooseRows(sequence, 128, 12), 64);
}

TEST(CPUSchedule, DivisorsOfTheRegisterTile) {
  EXPECT_EQ(chooseRows(96, 128, 12), 96);
  EXPECT_EQ(chooseRows(300, 128, 12), 60);
  EXPECT_EQ(chooseRows(100, 128, 4), 100);
}

TEST(CPUSchedule, AnyDivisor) {
  EXPECT_EQ(chooseRows(100, 128, 12), 100);
  EXPECT_EQ(chooseRows(129, 128, 12), 43);
  EXPECT_EQ(chooseRows(250, 128, 12), 125);
}

TEST(CPUSchedule, PrimesHaveAShorterLastBlock) {
  for (int64_t sequence : {67, 131, 1009})
    EXPECT_EQ(chooseRows(sequence, 128, 12), sequence == 67 ? 67 : 64);
}

TEST(CPUSchedule, WideNetworksTakeMoreRows) {
  EXPECT_EQ(chooseRows(128, 511, 12), 64);
  EXPECT_EQ(chooseRows(128, 512, 12), 128);
  EXPECT_EQ(chooseRows(100, 512, 12), 100);
  EXPECT_EQ(chooseRows(1024, 1024, 12), 128);
  // 128 does not divide 192.
  EXPECT_EQ(chooseRows(192, 1024, 12), 64);
}

TEST(CPUSchedule, EveryLengthIsCovered) {
  for (int64_t sequence = 1; sequence <= 2048; ++sequence)
    for (int64_t mr : {1, 4, 6, 12}) {
      int64_t rows = chooseRows(sequence, 128, mr);
      EXPECT_GE(rows, std::min<int64_t>(sequence, 32)) << sequence;
      EXPECT_LE(rows, std::min<int64_t>(sequence, 128)) << sequence;
    }
}

TEST(CPUSchedule, RegisterTileOfEachLevel) {
  CPUKernelShape shape{128, 128, 1536};
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", shape, kLimit),
            (CPUSchedule{64, 12, 32, 64}));
  EXPECT_EQ(chooseCPUSchedule("x86-64-v3", shape, kLimit),
            (CPUSchedule{64, 6, 16, 64}));
  EXPECT_EQ(chooseCPUSchedule("x86-64", shape, kLimit),
            (CPUSchedule{64, 4, 8, 64}));
  EXPECT_FALSE(chooseCPUSchedule("x86-64-v2", shape, kLimit));
}

TEST(CPUSchedule, NoTileIsTallerThanTheSequence) {
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", {1, 64, 256}, kLimit),
            (CPUSchedule{1, 1, 32, 1}));
  EXPECT_EQ(chooseCPUSchedule("x86-64-v3", {5, 64, 256}, kLimit),
            (CPUSchedule{5, 5, 16, 5}));
}

TEST(CPUSchedule, ScratchLimitsTheRows) {
  // 128 rows of 12 KB are the limit; of more, half as many.
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", {128, 1024, 12288}, kLimit)->rows,
            128);
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", {128, 1024, 12289}, kLimit)->rows,
            64);
  // A block is never less than one register tile.
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", {128, 1024, kLimit}, kLimit)->rows,
            16);
}

TEST(CPUSchedule, WholeSequencesHaveAllRows) {
  EXPECT_EQ(chooseCPUSchedule("x86-64-v4", {1000, 64, 4096, true}, kLimit),
            (CPUSchedule{1000, 12, 32, 64}));
}

} // namespace
