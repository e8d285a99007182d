// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the projection of its keys and values, to the cost model;
// every number was found by hand.

#include "described_kernel.h"

#include "hk/Analysis/CUDACandidates.h"
#include "hk/Analysis/ProjectedHeads.h"

#include <gtest/gtest.h>

using namespace mlir;
using hk::CUDAFamily;
using hk::CUDASchedule;
using hk::KernelWork;
using hk::ProjectedHeads;

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
  EXPECT_EQ(why({64, 4, 0, 1, 64, 64, 32, 2}),
            "a CTA has to own all rows of a sequence");
  EXPECT_EQ(why({256, 16, 0, 1, 64, 64, 32, 2}),
            "half of the rows would be behind the end of a sequence");
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
