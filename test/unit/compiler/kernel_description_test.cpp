// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels ask of a GPU; every number was found by hand.

#include "described_kernel.h"

#include "hk/Analysis/CUDACandidates.h"

#include <gtest/gtest.h>

using namespace mlir;
using hk::CUDAFamily;
using hk::CUDASchedule;
using hk::KernelWork;
using hk::Operands;

namespace {

class KernelDescription : public hk::test::DescribedKernel {
protected:
  /// A body that computes with %x : !x of 10 sequences of 128 rows and 64
  /// features, %hidden : !h, and weights.
  hk::KernelDescription get(const std::string &result, const std::string &body,
                            Operands operands = Operands::F16) {
    return describe(
        "!x = tensor<10x128x64xf32>\n!s = tensor<10x128x64xf16>\n"
        "!h = tensor<10x128x256xf32>\n!t = tensor<10x128x192xf32>\n"
        "!w = tensor<64x64xf32>\n!up = tensor<256x64xf32>\n"
        "!down = tensor<64x256xf32>\n!b = tensor<256xf32>\n"
        "func.func @f(%x: !x, %s: !s, %t: !t, %w: !w, %up: !up, %down: !down,"
        " %hidden: !h, %b: !b) -> " +
            result + " {\n" + body + "}\n",
        operands);
  }
};

constexpr double kRows = 1280;

TEST_F(KernelDescription, Families) {
  auto norm = get("!x", "  %0 = hk.rms_norm %x : !x\n  return %0 : !x\n");
  EXPECT_EQ(norm.getShape().family, CUDAFamily::Line);
  EXPECT_EQ(norm.getShape().batch, 10);
  EXPECT_EQ(norm.getShape().sequence, 128);
  auto gemm = get("!h", "  %0 = hk.linear %x, %up, %b : !x, !up, !b\n"
                        "  %1 = hk.activation relu %0 : !h\n"
                        "  return %1 : !h\n");
  EXPECT_EQ(gemm.getShape().family, CUDAFamily::Gemm);
  EXPECT_EQ(gemm.getShape().features, 256);
  EXPECT_EQ(gemm.getShape().depth, 64);
  auto chain = get("!x", "  %n = hk.rms_norm %x : !x\n"
                         "  %0 = hk.linear %n, %w : !x, !w\n"
                         "  return %0 : !x\n");
  EXPECT_EQ(chain.getShape().family, CUDAFamily::Chain);
  auto attention =
      get("!x", "  %q, %k, %v = hk.split %t : !t -> !x, !x, !x\n"
                "  %0 = hk.attention %q, %k, %v {num_heads = 4 : i32, causal}"
                " : !x, !x, !x\n  return %0 : !x\n");
  EXPECT_EQ(attention.getShape().family, CUDAFamily::Attention);
  EXPECT_EQ(attention.getShape().heads, 4);
  EXPECT_EQ(attention.getShape().headDim, 16);
  auto rest = get("!x", "  %0 = hk.attention %x, %x, %x {num_heads = 4 : i32}"
                        " : !x, !x, !x\n"
                        "  %1 = hk.add %0, %x : !x, !x\n  return %1 : !x\n");
  EXPECT_EQ(rest.getShape().family, CUDAFamily::Chain);
}

TEST_F(KernelDescription, LinesReadAndWrite) {
  auto kernel = get("!x", "  %0 = hk.layer_norm %x : !x\n"
                          "  %1 = hk.add %0, %x : !x, !x\n  return %1 : !x\n");
  KernelWork work = kernel.getWork({32, 8, 0, 0, 64, 64, 64, 2}, device);
  EXPECT_EQ(work.ctas, 40);
  EXPECT_EQ(work.threads, 256);
  // The row for the norm and for the sum, and the result. All fits L2.
  EXPECT_EQ(work.l2Bytes, 3 * kRows * 64 * 4);
  EXPECT_EQ(work.memoryBytes, 0);
  EXPECT_EQ(work.f16Flops, 0);
  EXPECT_EQ(work.stages, 2);
  EXPECT_EQ(work.shared, 0);
  // 5 instructions for the norm, 1 for the sum, 0.15 a byte.
  EXPECT_NEAR(work.instructions, kRows * (64 * 6 + 0.15 * 3 * 256), 1);
  device.l2Size = 1000;
  EXPECT_EQ(kernel.getWork({32, 8, 0, 0, 64, 64, 64, 2}, device).memoryBytes,
            2 * kRows * 64 * 4);
}

TEST_F(KernelDescription, AGemmReadsItsInputForEachRunOfColumns) {
  auto kernel = get("!x", "  %c = hk.linear %hidden, %down : !h, !down\n"
                          "  return %c : !x\n");
  // 64 rows by 32 features, 64 deep.
  KernelWork work = kernel.getWork({64, 4, 32, 0, 32, 64, 64, 3}, device);
  EXPECT_EQ(work.ctas, 10 * 2 * 2);
  double flops = 2 * kRows * 256 * 64, weight = 64 * 256 * 2;
  EXPECT_EQ(work.f16Flops, flops);
  EXPECT_EQ(work.tf32Flops, 0);
  // The weight by each of 20 blocks of rows, the input by each of two runs,
  // the result once.
  EXPECT_EQ(work.l2Bytes, 20 * weight + 2 * kRows * 256 * 4 + kRows * 64 * 4);
  // The weight is written by each block and read by each of 4 warps; the input
  // is written and read once, as f16, in each run.
  EXPECT_EQ(work.sharedBytes, 20 * 5 * weight + 2 * 2 * kRows * 256 * 2);
  // Three slots of 64 x 64 of the input and of 32 x 64 of the weight.
  EXPECT_EQ(work.shared, 3 * 2 * (64 * 64 + 32 * 64));
  EXPECT_EQ(work.stages, 4);
  EXPECT_EQ(work.imbalance, 1);
}

TEST_F(KernelDescription, ThreeProductsForOne) {
  auto get3 = [&](Operands operands) {
    return get("!x", "  %0 = hk.linear %x, %w : !x, !w\n  return %0 : !x\n",
               operands)
        .getWork({64, 4, 32, 0, 32, 32, 32, 3}, device);
  };
  EXPECT_EQ(get3(Operands::F16).f16Flops, 2 * kRows * 64 * 64);
  EXPECT_EQ(get3(Operands::TF32).tf32Flops, 2 * kRows * 64 * 64);
  EXPECT_EQ(get3(Operands::TF32x3).tf32Flops, 3 * 2 * kRows * 64 * 64);
  EXPECT_GT(get3(Operands::TF32x3).instructions,
            get3(Operands::TF32).instructions);
}

TEST_F(KernelDescription, AChainReadsWeightsForEachBlockOfRows) {
  auto kernel = get("!x", "  %n = hk.layer_norm %x : !x\n"
                          "  %0 = hk.linear %n, %up, %b : !x, !up, !b\n"
                          "  %1 = hk.activation gelu_erf %0 : !h\n"
                          "  %2 = hk.linear %1, %down : !h, !down\n"
                          "  %3 = hk.add %x, %2 : !x, !x\n"
                          "  return %3 : !x\n");
  KernelWork work = kernel.getWork({32, 2, 0, 0, 64, 64, 64, 2}, device);
  double weights = 2 * 64 * 256 * 2;
  EXPECT_EQ(work.ctas, 40);
  EXPECT_EQ(work.f16Flops, 2 * 2 * kRows * 64 * 256);
  EXPECT_EQ(work.l2Bytes, 40 * weights + 3 * kRows * 64 * 4);
  EXPECT_EQ(work.sharedBytes, 40 * (1 + 2) * weights);
  EXPECT_EQ(work.mufu, kRows * 256);
  // The norm, four blocks of hidden features, and their sums.
  EXPECT_EQ(work.stages, 2 + 4 + 4);
  // A tile of 64 x 64 of either weight.
  EXPECT_EQ(work.shared, 2 * 64 * 64 * 2);
  // Rows beyond the end of a sequence are computed for nothing.
  work = kernel.getWork({128, 8, 0, 0, 64, 64, 64, 2}, device);
  EXPECT_EQ(work.f16Flops, 2 * 2 * kRows * 64 * 256);
}

TEST_F(KernelDescription, CausalAttentionComputesHalf) {
  auto attention = [&](const std::string &causal) {
    return get("!x", "  %q, %k, %v = hk.split %t : !t -> !x, !x, !x\n"
                     "  %0 = hk.attention %q, %k, %v {num_heads = 4 : i32" +
                         causal + "} : !x, !x, !x\n  return %0 : !x\n");
  };
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 32, 2};
  // 40 heads, 2 blocks of 64 rows, 128 keys each; heads of 16.
  auto kernel = attention("");
  KernelWork work = kernel.getWork(schedule, device);
  double scores = 40 * 2 * 64 * 128, keys = 40 * 2 * 128 * 2 * 16 * 4;
  EXPECT_EQ(work.ctas, 80);
  EXPECT_EQ(work.mufu, scores);
  EXPECT_EQ(work.f16Flops, scores * 2 * 32);
  EXPECT_EQ(work.l2Bytes, keys + 2 * kRows * 64 * 4);
  EXPECT_EQ(work.sharedBytes, 5 * keys);
  EXPECT_EQ(work.stages, 3 * 4);
  EXPECT_EQ(work.imbalance, 1);
  // 64 and 128 keys: three quarters, and the second CTA has 4/3 of the mean.
  auto half = attention(", causal");
  work = half.getWork(schedule, device);
  EXPECT_EQ(work.mufu, scores * 3 / 4);
  EXPECT_EQ(work.f16Flops, scores * 2 * 32 * 3 / 4);
  EXPECT_DOUBLE_EQ(work.imbalance, 4. / 3);
  EXPECT_EQ(work.stages, 3 * 3);
}

TEST_F(KernelDescription, QueriesThatDoNotFitIntoRegisters) {
  hk::KernelDescription kernel = describe(
      "!x = tensor<?x128x256xf32>\n"
      "func.func @f(%q: !x, %k: !x, %v: !x) -> !x {\n"
      "  %0 = hk.attention %q, %k, %v {num_heads = 1 : i32} : !x, !x, !x\n"
      "  return %0 : !x\n}\n",
      Operands::TF32, /*batch=*/10);
  CUDASchedule schedule = {64, 4, 0, 1, 32, 32, 16, 2};
  KernelWork work = kernel.getWork(schedule, device);
  EXPECT_TRUE(hk::predictCost(work, device).fits());
  // 64 KB of queries beside three slots of 16 KB. They are read in each of 8
  // blocks of keys; keys and values come in once, and each warp reads them.
  EXPECT_EQ(work.shared, 64 * 1024 + 3 * 16 * 1024);
  double keys = 10 * 2 * 128 * 2 * 256 * 4, queries = 10 * 128 * 256 * 4;
  EXPECT_EQ(work.sharedBytes, 5 * keys + 8 * queries);
  // Two rows of 16 a warp: the context alone takes all registers.
  work = kernel.getWork({64, 2, 0, 1, 32, 32, 16, 2}, device);
  EXPECT_FALSE(hk::predictCost(work, device).fits());
  // Narrow heads are held, as f32 in memory too.
  auto narrow = get("!x", "  %q, %k, %v = hk.split %t : !t -> !x, !x, !x\n"
                          "  %0 = hk.attention %q, %k, %v {num_heads = 1 : i32}"
                          " : !x, !x, !x\n  return %0 : !x\n");
  EXPECT_EQ(narrow.getWork(schedule, device).shared, 3 * 4 * 1024);
}

TEST_F(KernelDescription, WhatWillBeNarrow) {
  // Only a linear operation reads the norm's result: it will be f16.
  SmallVector<Operation *> ops =
      parse("!x = tensor<?x128x64xf32>\n!w = tensor<64x64xf32>\n"
            "func.func @f(%x: !x, %w: !w) -> !x {\n"
            "  %n = hk.rms_norm %x : !x\n"
            "  %0 = hk.linear %n, %w : !x, !w\n"
            "  return %0 : !x\n}\n");
  Operation *norm = ops[0], *linear = ops[1];
  CUDASchedule schedule = {32, 8, 0, 0, 64, 64, 64, 2};
  hk::KernelDescription line({norm}, Operands::F16, /*batch=*/10);
  EXPECT_EQ(line.getBatch(), 10);
  EXPECT_EQ(line.getShape().batch, std::nullopt);
  EXPECT_EQ(line.getWork(schedule, device).l2Bytes, kRows * 64 * (4 + 2));
  hk::KernelDescription wide({norm}, Operands::TF32, /*batch=*/10);
  EXPECT_EQ(wide.getWork(schedule, device).l2Bytes, kRows * 64 * (4 + 4));
  hk::KernelDescription gemm({linear}, Operands::F16, /*batch=*/10);
  EXPECT_EQ(gemm.getShape().family, CUDAFamily::Gemm);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

TEST_F(KernelDescription, TheBestDifferInMoreThanTheRing) {
  auto kernel = get("!h", "  %0 = hk.linear %x, %up : !x, !up\n"
                          "  return %0 : !h\n");
  hk::CUDACandidates candidates = hk::rankCUDASchedules(kernel, device, 3);
  ASSERT_EQ(candidates.best.size(), 3u);
  double best = candidates.best[0].cost.total;
  for (size_t i = 0; i < 3; ++i) {
    const hk::CUDACandidate &a = candidates.best[i];
    EXPECT_TRUE(a.cost.fits());
    EXPECT_LE(a.cost.total, hk::kWorthMeasuring * best);
    for (size_t j = 0; j < i; ++j) {
      const hk::CUDACandidate &b = candidates.best[j];
      EXPECT_GE(a.cost.total, b.cost.total);
      EXPECT_TRUE(a.schedule.rows != b.schedule.rows ||
                  a.schedule.units != b.schedule.units ||
                  a.schedule.columns != b.schedule.columns ||
                  a.schedule.usesWarpgroups != b.schedule.usesWarpgroups ||
                  a.schedule.ctas != b.schedule.ctas);
    }
  }
  EXPECT_GT(candidates.legal, 3);
  EXPECT_EQ(hk::rankCUDASchedules(kernel, device, 1).best.size(), 1u);
  EXPECT_EQ(hk::predictBest(kernel, device), best);
}

TEST_F(KernelDescription, WideHeadsHaveFewKeys) {
  auto kernel = describe(
      "!x = tensor<10x128x256xf32>\n"
      "func.func @f(%q: !x, %k: !x, %v: !x) -> !x {\n"
      "  %0 = hk.attention %q, %k, %v {num_heads = 1 : i32} : !x, !x, !x\n"
      "  return %0 : !x\n}\n");
  for (const hk::CUDACandidate &candidate :
       hk::rankCUDASchedules(kernel, device, 100).best)
    EXPECT_GE(candidate.schedule.keys, 32);
  // Three blocks of 32 keys of 1 KiB, and 16 queries: 112 KiB of 99.
  device = *hk::findDevice("rtx3090");
  hk::CUDACandidates candidates = hk::rankCUDASchedules(kernel, device, 100);
  EXPECT_GT(candidates.legal, 0);
  for (const hk::CUDACandidate &candidate : candidates.best) {
    EXPECT_TRUE(candidate.cost.fits());
    EXPECT_EQ(candidate.schedule.keys, 16);
    EXPECT_LE(kernel.getWork(candidate.schedule, device).shared, 99 * 1024);
  }
}

TEST_F(KernelDescription, WhatDoesNotFitIsRefused) {
  auto kernel = get("!x", "  %0 = hk.linear %hidden, %down : !h, !down\n"
                          "  return %0 : !x\n");
  device.sharedPerCTA = 16 * 1024;
  device.registers = 65536;
  hk::CUDACandidates candidates = hk::rankCUDASchedules(kernel, device, 100);
  bool isRefused = false;
  for (const hk::RefusedSchedules &refused : candidates.refused)
    isRefused |= refused.kind == "shared memory" && refused.count > 10;
  EXPECT_TRUE(isRefused);
  for (const hk::CUDACandidate &candidate : candidates.best)
    EXPECT_LE(kernel.getWork(candidate.schedule, device).shared, 16 * 1024);
  // Nothing fits: the rules are all there is.
  device.sharedPerCTA = 16;
  candidates = hk::rankCUDASchedules(kernel, device, 3);
  ASSERT_EQ(candidates.best.size(), 1u);
  EXPECT_FALSE(candidates.best[0].cost.fits());
  EXPECT_EQ(hk::predictBest(kernel, device), std::nullopt);
}

} // namespace
