// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CUDASchedule.h"

#include <gtest/gtest.h>

namespace {

using hk::chooseCUDASchedule;
using hk::CUDAFamily;
using hk::CUDAKernelShape;
using hk::CUDALimits;
using hk::CUDASchedule;

constexpr CUDALimits h100 = {132, 227 * 1024};
constexpr CUDALimits rtx3090 = {82, 99 * 1024};

CUDAKernelShape gemm(int64_t sequence, int64_t features, int64_t depth) {
  CUDAKernelShape shape;
  shape.family = CUDAFamily::Gemm;
  shape.sequence = sequence;
  shape.features = features;
  shape.depth = depth;
  return shape;
}

CUDAKernelShape attention(int64_t sequence, int64_t heads, int64_t headDim) {
  CUDAKernelShape shape;
  shape.family = CUDAFamily::Attention;
  shape.sequence = sequence;
  shape.features = heads * headDim;
  shape.heads = heads;
  shape.headDim = headDim;
  return shape;
}

CUDAKernelShape line(int64_t sequence, int64_t features) {
  CUDAKernelShape shape;
  shape.sequence = sequence;
  shape.features = features;
  return shape;
}

TEST(CUDASchedule, LargeGemm) {
  CUDASchedule s = chooseCUDASchedule(h100, gemm(1024, 3072, 1024));
  EXPECT_EQ(s.rows, 128);
  EXPECT_EQ(s.units, 4);
  EXPECT_EQ(s.columns, 128);
  EXPECT_EQ(s.block, 128);
  EXPECT_EQ(s.depth, 64);
  EXPECT_EQ(s.stages, 3); // 3 * 32 KB, twice, of 227 KB.
}

TEST(CUDASchedule, LittleSharedMemoryHalvesTheDepth) {
  CUDASchedule s = chooseCUDASchedule(rtx3090, gemm(1024, 3072, 1024));
  EXPECT_EQ(s.depth, 32);
  EXPECT_EQ(s.stages, 3);
  EXPECT_LE(2 * s.stages * (s.rows + s.columns) * s.depth * 2, 99 * 1024);
}

TEST(CUDASchedule, NarrowGemm) {
  CUDASchedule s = chooseCUDASchedule(h100, gemm(128, 20, 36));
  EXPECT_EQ(s.columns, 24);
  EXPECT_EQ(s.depth, 40);
  EXPECT_EQ(s.stages, 4);
}

TEST(CUDASchedule, ShortSequences) {
  EXPECT_EQ(chooseCUDASchedule(h100, gemm(1, 256, 256)).rows, 16);
  EXPECT_EQ(chooseCUDASchedule(h100, gemm(1, 256, 256)).units, 1);
  EXPECT_EQ(chooseCUDASchedule(h100, gemm(33, 256, 256)).rows, 64);
  EXPECT_EQ(chooseCUDASchedule(h100, gemm(100, 256, 256)).rows, 128);
  // 3 blocks of 64 are exact, 2 of 128 are not.
  EXPECT_EQ(chooseCUDASchedule(h100, gemm(192, 256, 256)).rows, 64);
  EXPECT_EQ(chooseCUDASchedule(h100, attention(7, 4, 32)).rows, 16);
  EXPECT_EQ(chooseCUDASchedule(h100, attention(7, 4, 32)).keys, 16);
}

TEST(CUDASchedule, SmallGridsGetSmallTiles) {
  CUDAKernelShape shape = gemm(128, 256, 256);
  shape.batch = 1;
  CUDASchedule s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 64);
  EXPECT_EQ(s.columns, 32);
  // 64 sequences of 2 blocks: 128 CTAs for 132 processors are enough.
  shape = gemm(128, 128, 128);
  shape.batch = 64;
  s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 64);
  EXPECT_EQ(s.columns, 128);
  shape.batch = 1024;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).rows, 128);
}

TEST(CUDASchedule, Attention) {
  CUDASchedule s = chooseCUDASchedule(h100, attention(128, 4, 64));
  EXPECT_EQ(s.rows, 64);
  EXPECT_EQ(s.units, 4);
  EXPECT_EQ(s.heads, 1);
  EXPECT_EQ(s.keys, 64);
  EXPECT_EQ(s.stages, 2);
  s = chooseCUDASchedule(h100, attention(1024, 16, 64));
  EXPECT_EQ(s.rows, 128);
  EXPECT_EQ(s.units, 4);
  EXPECT_EQ(s.keys, 128);
  EXPECT_EQ(chooseCUDASchedule(h100, attention(1024, 8, 128)).rows, 64);
  EXPECT_EQ(chooseCUDASchedule(h100, attention(1024, 4, 256)).keys, 32);
}

TEST(CUDASchedule, TilesOfKeysFitSharedMemory) {
  for (int64_t headDim : {8, 40, 64, 80, 128, 256, 512})
    for (int64_t bytes : {2, 4})
      for (int64_t sequence : {1, 100, 1024}) {
        CUDAKernelShape shape = attention(sequence, 2, headDim);
        shape.operandBytes = bytes;
        CUDASchedule s = chooseCUDASchedule(rtx3090, shape);
        EXPECT_EQ(s.keys % 16, 0);
        if (s.keys > 16) {
          EXPECT_LE(s.stages * 2 * s.keys * headDim * bytes,
                    rtx3090.sharedPerCTA);
        }
      }
}

TEST(CUDASchedule, WideOperandsHalveTiles) {
  CUDAKernelShape shape = gemm(1024, 1024, 1024);
  shape.operandBytes = 4;
  CUDASchedule s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.columns, 64);
  EXPECT_EQ(s.depth, 32);
  shape = attention(128, 4, 64);
  shape.operandBytes = 4;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).keys, 32);
}

TEST(CUDASchedule, ChainsGiveUpWarpsForCTAs) {
  CUDAKernelShape shape = line(128, 128);
  shape.family = CUDAFamily::Chain;
  CUDASchedule s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 64);
  EXPECT_EQ(s.units, 4);
  EXPECT_EQ(s.columns, 0);
  EXPECT_EQ(s.stages, 4);
  shape.batch = 16;
  s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 16);
  EXPECT_EQ(s.units, 1);
  shape.batch = 32;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).rows, 32);
}

TEST(CUDASchedule, ProjectionsOwnSequences) {
  CUDAKernelShape shape = attention(128, 4, 32);
  shape.family = CUDAFamily::Projection;
  CUDASchedule s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 128);
  EXPECT_EQ(s.units, 8);
  EXPECT_EQ(s.heads, 1);
  EXPECT_EQ(s.keys, 64);
  // Keys divide the rows.
  shape.sequence = 100;
  s = chooseCUDASchedule(h100, shape);
  EXPECT_EQ(s.rows, 112);
  EXPECT_EQ(s.keys, 16);
  shape.sequence = 1;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).rows, 16);
  // Small heads together: as many as a block has columns for.
  shape.headDim = 8;
  shape.heads = 12;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).heads, 6);
}

TEST(CUDASchedule, LinesKeepMemoryBusy) {
  EXPECT_EQ(chooseCUDASchedule(h100, line(1024, 64)).rows, 64);
  EXPECT_EQ(chooseCUDASchedule(h100, line(1024, 128)).rows, 32);
  EXPECT_EQ(chooseCUDASchedule(h100, line(1024, 1024)).rows, 8);
  EXPECT_EQ(chooseCUDASchedule(h100, line(1024, 1024)).units, 8);
  EXPECT_EQ(chooseCUDASchedule(h100, line(1, 128)).rows, 1);
  EXPECT_EQ(chooseCUDASchedule(h100, line(1, 128)).units, 1);
  CUDAKernelShape shape = line(128, 128);
  shape.batch = 1;
  EXPECT_EQ(chooseCUDASchedule(h100, shape).rows, 4);
}

TEST(CUDASchedule, EveryShapeVerifies) {
  for (CUDAFamily family : {CUDAFamily::Line, CUDAFamily::Gemm,
                            CUDAFamily::Attention, CUDAFamily::Chain})
    for (int64_t sequence : {1, 2, 7, 16, 33, 64, 100, 128, 129, 1000, 4096})
      for (int64_t features : {8, 12, 64, 100, 384, 4096})
        for (int64_t batch : {0, 1, 3, 64, 10000}) {
          CUDAKernelShape shape = attention(sequence, 1, features);
          shape.family = family;
          shape.depth = features;
          if (batch)
            shape.batch = batch;
          CUDASchedule s = chooseCUDASchedule(h100, shape);
          for (int64_t value :
               {s.rows, s.units, s.block, s.depth, s.keys, s.stages})
            EXPECT_GT(value, 0);
          EXPECT_EQ(s.rows % s.units, 0);
          if (family != CUDAFamily::Line) {
            EXPECT_EQ(s.rows / s.units % 16, 0);
          }
          EXPECT_EQ(s.rows & (s.rows - 1), 0);
          EXPECT_LT(s.rows, std::max<int64_t>(2 * sequence, 17));
        }
}

} // namespace
