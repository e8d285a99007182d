// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the projection of its keys and values, to the cost model;
// every number was found by hand.

#include "described_kernel.h"

#include "hk/Analysis/CUDACandidates.h"
#include "hk/Analysis/ProjectedHeads.h"
#include "hk/Analysis/ProjectedRows.h"

#include <gtest/gtest.h>

using namespace mlir;
using hk::CUDAFamily;
using hk::CUDASchedule;
using hk::KernelWork;
using hk::ProjectedHeads;
using hk::ProjectedRows;

namespace {

class Projection : public hk::test::DescribedKernel {
protected:
  /// A body that computes with %x : !x of 10 sequences of 128 rows and 64
  /// features.
  hk::KernelDescription get(const std::string &body,
                            const std::string &results = "%a",
                            const std::string &types = "!x") {
    return describe("!x = tensor<10x128x64xf32>\n!k = tensor<10x128x16xf32>\n"
                    "!w = tensor<64x64xf32>\n!g = tensor<16x64xf32>\n"
                    "func.func @f(%x: !x, %w: !w, %g: !g) -> (" +
                    types + ") {\n" + body + "  return " + results + " : " +
                    types + "\n}\n");
  }

  /// Four heads of 16 in 10 sequences of so many rows.
  hk::KernelDescription getShort(int64_t sequence) {
    std::string type = "tensor<10x" + std::to_string(sequence) + "x64xf32>";
    return describe("!x = " + type +
                    "\n!w = tensor<64x64xf32>\n"
                    "func.func @f(%x: !x, %w: !w) -> !x {\n" +
                    heads() + "  return %a : !x\n}\n");
  }

  /// The same of 1024 features in memory, of this type.
  hk::KernelDescription getWide(int64_t sequence, const std::string &element) {
    std::string rows = "tensor<10x" + std::to_string(sequence);
    return describe("!x = " + rows + "x1024xf32>\n!m = " + rows + "x1024x" +
                    element + ">\n!y = " + rows +
                    "x64xf32>\n!w = tensor<64x1024xf32>\n"
                    "func.func @f(%m: !m, %w: !w) -> !y {\n"
                    "  %x = hk.cast %m : !m to !x\n"
                    "  %q = hk.linear %x, %w : !x, !w\n"
                    "  %a = hk.attention %q, %q, %q {num_heads = 4 : i32}"
                    " : !y, !y, !y\n  return %a : !y\n}\n");
  }

  /// Four heads of 16.
  static std::string heads(const std::string &flags = "") {
    return kNorm + kQuery +
           "  %k = hk.linear %n, %w : !x, !w\n"
           "  %v = hk.linear %n, %w : !x, !w\n"
           "  %a = hk.attention %q, %k, %v {num_heads = 4 : i32" +
           flags + "} : !x, !x, !x\n";
  }

  /// Four heads of 16 that share their keys.
  static std::string group() {
    return kNorm + kQuery +
           "  %k = hk.linear %n, %g : !x, !g\n"
           "  %v = hk.linear %n, %g : !x, !g\n"
           "  %a = hk.attention %q, %k, %v {num_heads = 4 : i32,"
           " num_kv_heads = 1 : i32} : !x, !k, !k\n";
  }

  inline static const std::string kNorm = "  %n = hk.rms_norm %x : !x\n";
  inline static const std::string kQuery = "  %q = hk.linear %n, %w : !x, !w\n";
};

TEST_F(Projection, Family) {
  EXPECT_EQ(get(heads()).getShape().family, CUDAFamily::Projection);
  EXPECT_EQ(get(heads()).getShape().group, 1);
  EXPECT_EQ(get(group()).getShape().family, CUDAFamily::Projection);
  EXPECT_EQ(get(group()).getShape().group, 4);
  // Something follows, or is a result besides.
  auto longer = get(heads() + "  %y = hk.add %a, %x : !x, !x\n", "%y");
  EXPECT_EQ(longer.getShape().family, CUDAFamily::Chain);
  EXPECT_EQ(longer.whyRefused({128, 8, 0, 0, 64, 64, 64, 2}),
            "a kernel that computes keys ends with their attention");
  EXPECT_EQ(get(heads(), "%a, %k", "!x, !x").getShape().family,
            CUDAFamily::Chain);
}

TEST_F(Projection, Work) {
  // Two heads a CTA, both at once.
  CUDASchedule schedule = {128, 8, 0, 2, 32, 64, 32, 2};
  KernelWork work = get(heads()).getWork(schedule, device);
  double weight = 3 * 32 * 64 * 2, scores = 2 * 128 * 128;
  EXPECT_EQ(work.ctas, 20);
  EXPECT_EQ(work.units, 8);
  EXPECT_EQ(work.threads, 32 * 9);
  EXPECT_EQ(work.f16Flops, 20 * (2 * 128 * 96 * 64 + scores * 2 * 32));
  EXPECT_EQ(work.mufu, 20 * scores);
  // The rows for each of two runs of heads, the result once.
  EXPECT_EQ(work.l2Bytes, 1280 * 3 * 256 + 20 * weight);
  // The weight is written once and read by 8 warps; keys and values of 16 bits
  // as well.
  double keys = 2 * 128 * 32 * 2;
  EXPECT_EQ(work.sharedBytes, 20 * 9 * (weight + keys));
  // The norm, three products, two barriers, four blocks of keys of each head.
  EXPECT_EQ(work.stages, 1 + 3 + 2 + 2 * 3 * 4);
  // Two tiles of 32 x 64, keys and values of 128 rows.
  EXPECT_EQ(work.shared, 2 * 4096 + 2 * 8192);
  EXPECT_EQ(work.imbalance, 1);
}

TEST_F(Projection, AUnitReadsWhatItsRowsSee) {
  CUDASchedule schedule = {128, 8, 0, 2, 32, 64, 32, 2};
  KernelWork all = get(heads()).getWork(schedule, device);
  KernelWork work = get(heads(", causal")).getWork(schedule, device);
  // 32, 32, 64, 64, .. 128 keys.
  EXPECT_EQ(work.mufu, all.mufu * 640 / 1024);
  // The last unit sees all; values are looked at.
  EXPECT_EQ(work.stages, all.stages + 1);
}

TEST_F(Projection, PartsOfASequence) {
  // Two CTAs a sequence, two heads a CTA: each computes the keys of all rows,
  // block by block, and the queries of its own.
  CUDASchedule schedule = {64, 4, 0, 2, 32, 64, 32, 2};
  KernelWork work = get(heads()).getWork(schedule, device);
  double features = 2 * 64 + 32, weight = features * 64 * 2;
  EXPECT_EQ(work.ctas, 40);
  EXPECT_EQ(work.units, 4);
  double scores = 2 * 64 * 128;
  EXPECT_EQ(work.f16Flops, 40 * (2 * 64 * features * 64 + scores * 2 * 32));
  EXPECT_EQ(work.mufu, 40 * scores);
  // The rows of both blocks, for each of two runs of heads.
  EXPECT_EQ(work.l2Bytes, 1280 * (2 * 2 + 1) * 256 + 40 * weight);
  double published = 2 * 64 * 32 * 2, keys = 2 * 128 * 32 * 2;
  EXPECT_EQ(work.sharedBytes, 40 * (5 * weight + 2 * published + 4 * keys));
  // Two norms, keys and values of two blocks, queries, two barriers, four
  // blocks of keys of each head.
  EXPECT_EQ(work.stages, 2 + 2 * 2 + 1 + 2 + 2 * 3 * 4);
  EXPECT_EQ(work.loads, 3);
  // Two tiles of 32 x 64, keys and values of 128 rows.
  EXPECT_EQ(work.shared, 2 * 4096 + 2 * 8192);
  EXPECT_EQ(work.imbalance, 1);
}

TEST_F(Projection, PartsOfACausalSequence) {
  // The first CTA computes keys of its rows, the second of both blocks.
  CUDASchedule schedule = {64, 4, 0, 2, 32, 64, 32, 2};
  KernelWork work = get(heads(", causal")).getWork(schedule, device);
  // Units see 32, 32, 64 and 64 keys, or 96, 96, 128 and 128.
  double first = 2. * 64 * (64 + 32) * 64 + 2. * 16 * 192 * 2 * 32;
  double second = 2. * 64 * (128 + 32) * 64 + 2. * 16 * 448 * 2 * 32;
  EXPECT_EQ(work.f16Flops, 20 * (first + second));
  EXPECT_DOUBLE_EQ(work.imbalance, 2 * second / (first + second));
  // On average 1.5 norms, three products of keys and values, one and a half
  // looks at values, three blocks of keys of each head.
  EXPECT_EQ(work.stages, 1.5 + 3 + 1 + 2 + 1.5 + 2 * 3 * 3);
  EXPECT_EQ(work.l2Bytes,
            1280 * (2 * 1.5 + 1) * 256 + 40. * (96 + 32) * 64 * 2);
}

TEST_F(Projection, PartsCopyWhatIsAnOperand) {
  // Rows of f16 are multiplied as they are: a ring brings those of the loop.
  auto kernel = describe(
      "!h = tensor<10x128x64xf16>\n!x = tensor<10x128x64xf32>\n"
      "!w = tensor<64x64xf32>\n"
      "func.func @f(%h: !h, %w: !w) -> !x {\n"
      "  %x = hk.cast %h : !h to !x\n"
      "  %q = hk.linear %x, %w : !x, !w\n  %k = hk.linear %x, %w : !x, !w\n"
      "  %v = hk.linear %x, %w : !x, !w\n"
      "  %a = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x\n"
      "  return %a : !x\n}\n");
  KernelWork whole = kernel.getWork({128, 8, 0, 2, 32, 64, 32, 2}, device);
  KernelWork work = kernel.getWork({64, 4, 0, 2, 32, 64, 32, 2}, device);
  EXPECT_EQ(whole.shared, 2 * 4096 + 2 * 8192);
  EXPECT_EQ(work.shared, 2 * (4096 + 64 * 64 * 2) + 2 * 8192);
  EXPECT_EQ(whole.threads, 32 * (8 + 1));
  EXPECT_EQ(work.threads, 32 * (4 + 4));
  EXPECT_EQ(work.loads, whole.loads);
}

TEST_F(Projection, PartsAreCandidates) {
  // A CTA cannot have 1024 rows: the best have some of them.
  auto kernel = describe(
      "!x = tensor<1x1024x64xf32>\n!w = tensor<64x64xf32>\n"
      "func.func @f(%x: !x, %w: !w) -> !x {\n  %n = hk.rms_norm %x : !x\n"
      "  %q = hk.linear %n, %w : !x, !w\n  %k = hk.linear %n, %w : !x, !w\n"
      "  %v = hk.linear %n, %w : !x, !w\n"
      "  %a = hk.attention %q, %k, %v {num_heads = 4 : i32} : !x, !x, !x\n"
      "  return %a : !x\n}\n");
  hk::CUDACandidates found = hk::rankCUDASchedules(kernel, device, 3);
  for (const hk::CUDACandidate &candidate : found.best) {
    EXPECT_TRUE(candidate.cost.fits());
    EXPECT_LT(candidate.schedule.rows, 1024);
  }
  // Keys and values of all rows are in shared memory: 2 x 1024 x 64 x 2 bytes
  // of all heads are too much.
  KernelWork all = kernel.getWork({64, 4, 0, 4, 64, 64, 32, 2}, device);
  EXPECT_GT(all.shared, device.sharedPerCTA);
  EXPECT_FALSE(hk::predictCost(all, device).fits());
  EXPECT_TRUE(llvm::any_of(found.refused, [](const auto &refused) {
    return refused.kind == "shared memory";
  }));
}

TEST_F(Projection, WarpgroupsReadTogether) {
  CUDASchedule schedule = {128, 8, 0, 2, 32, 64, 32, 2};
  KernelWork alone = get(heads(", causal")).getWork(schedule, device);
  schedule.usesWarpgroups = true;
  schedule.ctas = 2;
  KernelWork work = get(heads(", causal")).getWork(schedule, device);
  // 64 keys for the first 64 rows, 128 for the others: 6 of 8 where units alone
  // have 5.
  double scores = 20. * 2 * 128 * 96;
  EXPECT_EQ(work.mufu, scores);
  EXPECT_EQ(work.f16Flops, 0);
  EXPECT_EQ(work.warpgroupFlops, 20. * 2 * 128 * 96 * 64 + scores * 2 * 32);
  EXPECT_EQ(work.ctasOfSM, 2);
  EXPECT_EQ(work.threads, 32 * 12);
  EXPECT_LT(work.sharedBytes, alone.sharedBytes / 2);
}

TEST_F(Projection, HeadsThatShareKeys) {
  // All heads a CTA: their keys once. One head: each computes them.
  KernelWork all = get(group()).getWork({128, 8, 0, 4, 64, 64, 32, 2}, device);
  KernelWork one = get(group()).getWork({128, 8, 0, 1, 64, 64, 32, 2}, device);
  double scores = 40 * 128 * 128 * 2 * 32;
  EXPECT_EQ(all.f16Flops, 10 * 2 * 128 * (64 + 32) * 64 + scores);
  EXPECT_EQ(one.f16Flops, 40 * 2 * 128 * (16 + 32) * 64 + scores);
  EXPECT_EQ(all.shared, 2 * 2048 + 2 * 4096);
}

TEST_F(Projection, Refusals) {
  auto why = [&](CUDASchedule schedule) {
    return get(heads()).whyRefused(schedule);
  };
  EXPECT_EQ(why({128, 8, 0, 1, 64, 64, 32, 2}), "");
  EXPECT_EQ(why({128, 5, 0, 1, 64, 64, 32, 2}),
            "a warp needs whole tiles of 16 rows");
  EXPECT_EQ(why({64, 4, 0, 1, 64, 64, 32, 2}), "");
  EXPECT_EQ(why({256, 1, 0, 1, 64, 64, 32, 2}),
            "half of the rows would be behind the end of a sequence");
  EXPECT_EQ(why({256, 16, 0, 1, 64, 64, 32, 2}), "");
  EXPECT_EQ(why({272, 17, 0, 1, 64, 64, 16, 2}),
            "the sequences of a CTA have to share out its rows and warps");
  EXPECT_EQ(why({384, 24, 0, 1, 64, 64, 96, 2}),
            "keys have to be a multiple of 16 and divide the rows");
  EXPECT_EQ(why({128, 8, 0, 1, 64, 64, 48, 2}),
            "keys have to be a multiple of 16 and divide the rows");
  EXPECT_EQ(why({128, 8, 0, 3, 64, 64, 32, 2}),
            "heads of a CTA have to divide all, and be whole groups or part of "
            "one");
  auto odd = get("  %k = hk.linear %x, %g : !x, !g\n"
                 "  %a = hk.attention %k, %k, %k {num_heads = 4 : i32}"
                 " : !k, !k, !k\n",
                 "%a", "!k");
  EXPECT_EQ(odd.whyRefused({128, 8, 0, 1, 64, 64, 32, 2}),
            "heads have to be a multiple of 8 features where keys are "
            "computed, and are 4");
  EXPECT_EQ(hk::predictBest(odd, device), std::nullopt);
}

TEST_F(Projection, SequencesShareACTA) {
  // Two heads a CTA, four sequences of 32 rows: three CTAs for ten, by two runs
  // of heads.
  CUDASchedule schedule = {128, 8, 0, 2, 32, 64, 32, 2};
  KernelWork work = getShort(32).getWork(schedule, device);
  double weight = 3 * 32 * 64 * 2, scores = 2 * 128 * 32;
  EXPECT_EQ(work.ctas, 6);
  EXPECT_EQ(work.units, 8);
  EXPECT_EQ(work.f16Flops, 6 * (2 * 128 * 96 * 64 + scores * 2 * 32));
  EXPECT_EQ(work.mufu, 6 * scores);
  // The rows that there are; the weight for each CTA.
  EXPECT_EQ(work.l2Bytes, 320 * 3 * 256 + 6 * weight);
  // A warp reads all of the weight, and a quarter of the keys and values.
  double keys = 2 * 128 * 32 * 2;
  EXPECT_EQ(work.sharedBytes, 6 * (9 * weight + keys + 8 * keys / 4));
  EXPECT_EQ(work.stages, 1 + 3 + 2 + 2 * 3);
  EXPECT_EQ(work.shared, 2 * 4096 + 2 * 8192);
  // One sequence a CTA: the weight once for each.
  KernelWork alone = getShort(32).getWork({32, 2, 0, 2, 32, 64, 32, 2}, device);
  EXPECT_EQ(alone.ctas, 20);
  EXPECT_EQ(alone.l2Bytes, 320 * 3 * 256 + 20 * weight);
  EXPECT_EQ(alone.stages, work.stages);
}

TEST_F(Projection, WarpgroupsOfSeveralSequences) {
  CUDASchedule schedule = {128, 8, 0, 2, 32, 64, 32, 2, true, 1};
  // Two warps a sequence: they have keys of their own.
  KernelWork work = getShort(32).getWork(schedule, device);
  EXPECT_EQ(work.warpgroupFlops, 6. * 2 * 128 * 96 * 64);
  EXPECT_EQ(work.f16Flops, 6. * 2 * 128 * 32 * 2 * 32);
  // Four: they share them. Two sequences a CTA make five groups of ten.
  work = getShort(64).getWork(schedule, device);
  EXPECT_EQ(work.warpgroupFlops,
            10. * (2 * 128 * 96 * 64 + 2 * 128 * 64 * 2 * 32));
  EXPECT_EQ(work.f16Flops, 0);
}

TEST_F(Projection, StepsOfRowsThatDoNotFollow) {
  // 1024 features do not fit into registers. Rows of sequences of 32 follow
  // each other in the CTA as in memory, and are copied in steps of 64; those of
  // 20 are if they are operands as they are.
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 32, 2};
  auto get = [&](int64_t sequence, const std::string &element) {
    return getWide(sequence, element).getWork(schedule, device);
  };
  KernelWork whole = get(32, "f16"), padded = get(20, "f32"),
             half = get(20, "f16");
  int64_t step = 64 * 64 * 2;
  EXPECT_EQ(whole.shared - padded.shared, 2 * step);
  EXPECT_EQ(half.shared, whole.shared);
  EXPECT_EQ(whole.loads, 2);
  EXPECT_EQ(half.loads, 2);
  EXPECT_GE(padded.loads, 2 + 1024 / 64);
}

TEST_F(Projection, CandidatesShareACTA) {
  // As many sequences as there are, at most.
  for (int64_t sequence : {1, 7, 16, 20, 32, 33, 64}) {
    auto kernel = getShort(sequence);
    hk::CUDACandidates found = hk::rankCUDASchedules(kernel, device, 1000);
    int64_t most = 0;
    for (const hk::CUDACandidate &candidate : found.best) {
      const CUDASchedule &s = candidate.schedule;
      EXPECT_EQ(kernel.whyRefused(s), "");
      most = std::max(most,
                      ProjectedRows::get(s.rows, s.units, sequence).sequences);
    }
    EXPECT_GT(most, 1) << sequence;
    EXPECT_LE(most, 10) << sequence;
  }
}

TEST_F(Projection, CandidatesDifferInHeadsAndUnits) {
  auto kernel = get(heads(", causal"));
  hk::CUDACandidates found = hk::rankCUDASchedules(kernel, device, 3);
  ASSERT_FALSE(found.best.empty());
  EXPECT_GT(found.legal, 20);
  for (size_t i = 0; i < found.best.size(); ++i) {
    const CUDASchedule &a = found.best[i].schedule;
    EXPECT_EQ(kernel.whyRefused(a), "");
    EXPECT_TRUE(found.best[i].cost.fits());
    for (size_t j = 0; j < i; ++j) {
      const CUDASchedule &b = found.best[j].schedule;
      EXPECT_TRUE(a.heads != b.heads || a.units != b.units ||
                  a.rows != b.rows || a.usesWarpgroups != b.usesWarpgroups ||
                  a.ctas != b.ctas);
    }
  }
}

TEST(ProjectedRows, WholeUnitsOfASequence) {
  auto get = [](int64_t rows, int64_t units, int64_t sequence) {
    ProjectedRows own = ProjectedRows::get(rows, units, sequence);
    return std::make_tuple(own.sequences, own.rows, own.units,
                           own.isEven(rows, units), own.hasWarpgroups());
  };
  EXPECT_EQ(get(128, 8, 128), std::make_tuple(1, 128, 8, true, true));
  EXPECT_EQ(get(128, 8, 100), std::make_tuple(1, 128, 8, true, true));
  EXPECT_EQ(get(64, 4, 128), std::make_tuple(1, 64, 4, true, true));
  EXPECT_EQ(get(128, 8, 32), std::make_tuple(4, 32, 2, true, false));
  EXPECT_EQ(get(128, 8, 7), std::make_tuple(8, 16, 1, true, false));
  EXPECT_EQ(get(128, 8, 64), std::make_tuple(2, 64, 4, true, true));
  // 33 rows are 48 in whole units, but 64 can be shared out.
  EXPECT_EQ(get(128, 8, 33), std::make_tuple(2, 64, 4, true, true));
  EXPECT_EQ(get(96, 6, 33), std::make_tuple(2, 48, 3, true, false));
  EXPECT_EQ(get(64, 2, 20), std::make_tuple(2, 32, 1, true, false));
  EXPECT_EQ(std::get<3>(get(112, 7, 20)), false);
}

TEST(ProjectedHeads, AsManyAsABlockHasRoomFor) {
  auto get = [](int64_t ofCTA, int64_t group, int64_t headDim, int64_t block) {
    ProjectedHeads heads = ProjectedHeads::get(ofCTA, group, headDim, block);
    return std::make_tuple(heads.heads, heads.sharing, heads.keyHeads);
  };
  EXPECT_EQ(get(4, 1, 32, 64), std::make_tuple(2, 2, 2));
  EXPECT_EQ(get(3, 1, 32, 64), std::make_tuple(1, 1, 1));
  EXPECT_EQ(get(4, 1, 8, 64), std::make_tuple(4, 4, 4));
  EXPECT_EQ(get(1, 1, 128, 64), std::make_tuple(1, 1, 1));
  // Groups of four: all of one, or some, one after another.
  EXPECT_EQ(get(8, 4, 16, 64), std::make_tuple(4, 4, 1));
  EXPECT_EQ(get(8, 4, 8, 64), std::make_tuple(8, 8, 2));
  EXPECT_EQ(get(8, 4, 32, 64), std::make_tuple(2, 4, 1));
  EXPECT_EQ(get(2, 4, 64, 64), std::make_tuple(1, 2, 1));
  EXPECT_TRUE(ProjectedHeads::areLegal(2, 8, 4));
  EXPECT_TRUE(ProjectedHeads::areLegal(8, 8, 4));
  EXPECT_FALSE(ProjectedHeads::areLegal(3, 6, 2));
  EXPECT_FALSE(ProjectedHeads::areLegal(4, 6, 1));
}

} // namespace
