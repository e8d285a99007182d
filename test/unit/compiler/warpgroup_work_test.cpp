// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels with wgmma ask of a GPU, and when schedules use it.

#include "described_kernel.h"

#include "hk/Analysis/CUDACandidates.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace mlir;
using hk::CUDACandidate;
using hk::CUDASchedule;
using hk::KernelWork;
using hk::Operands;

namespace {

class WarpgroupWork : public hk::test::DescribedKernel {
protected:
  hk::KernelDescription get(const std::string &op,
                            Operands operands = Operands::F16) {
    return describe("!x = tensor<10x128x64xf32>\n!h = tensor<10x128x256xf32>\n"
                    "!w = tensor<64x256xf32>\n"
                    "func.func @f(%x: !x, %h: !h, %w: !w) -> !x {\n  %0 = " +
                        op + "\n  return %0 : !x\n}\n",
                    operands);
  }
  hk::KernelDescription getGemm(Operands operands = Operands::F16) {
    return get("hk.linear %h, %w : !h, !w", operands);
  }
  hk::KernelDescription getAttention(Operands operands = Operands::F16) {
    return get("hk.attention %x, %x, %x {num_heads = 1 : i32} : !x, !x, !x",
               operands);
  }
};

bool uses(const CUDACandidate &candidate) {
  return candidate.schedule.usesWarpgroups;
}

constexpr double kRows = 1280;

TEST_F(WarpgroupWork, BIsReadOnceByAWarpgroup) {
  hk::KernelDescription kernel = getGemm();
  CUDASchedule schedule = {64, 4, 32, 0, 32, 64, 64, 3};
  KernelWork warps = kernel.getWork(schedule, device);
  schedule.usesWarpgroups = true;
  schedule.ctas = 2;
  KernelWork work = kernel.getWork(schedule, device);
  double flops = 2 * kRows * 256 * 64, weight = 64 * 256 * 2;
  EXPECT_EQ(work.f16Flops, 0);
  EXPECT_EQ(work.warpgroupFlops, flops);
  EXPECT_EQ(warps.warpgroupFlops, 0);
  // 20 blocks of rows write the weight and read it once, not four times; the
  // input goes in and out, as f16, in each of two runs of columns.
  EXPECT_EQ(work.sharedBytes, 20 * 2 * weight + 2 * 2 * kRows * 256 * 2);
  EXPECT_EQ(work.l2Bytes, warps.l2Bytes);
  EXPECT_LT(work.instructions, warps.instructions);
  // A warpgroup of producers, which give registers away.
  EXPECT_EQ(work.units, 4);
  EXPECT_EQ(work.threads, 32 * (4 + 4));
  EXPECT_EQ(work.ctasOfSM, 2);
  EXPECT_EQ(hk::predictCost(work, device).resident, 2);
  // Two warpgroups read it twice.
  schedule.rows = 128;
  schedule.units = 8;
  EXPECT_EQ(kernel.getWork(schedule, device).sharedBytes,
            10 * 3 * weight + 2 * 2 * kRows * 256 * 2);
}

TEST_F(WarpgroupWork, KeysAndValuesToo) {
  hk::KernelDescription kernel = getAttention();
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 64, 2};
  KernelWork warps = kernel.getWork(schedule, device);
  schedule.usesWarpgroups = true;
  schedule.ctas = 1;
  KernelWork work = kernel.getWork(schedule, device);
  // 10 heads, 2 blocks of 64 rows, 128 keys and values of 64 columns of f32.
  double keys = 10 * 2 * 128 * 2 * 64 * 4;
  EXPECT_EQ(warps.sharedBytes - work.sharedBytes, 3 * keys);
  EXPECT_EQ(work.warpgroupFlops, warps.f16Flops);
  EXPECT_EQ(work.f16Flops, 0);
}

TEST_F(WarpgroupWork, BlocksOfRowsInPairs) {
  auto getCausal = [&](const char *sequence, const char *causal) {
    return describe(std::string("!x = tensor<10x") + sequence +
                        "x64xf16>\nfunc.func @f(%x: !x) -> !x {\n"
                        "  %0 = hk.attention %x, %x, %x {num_heads = 1 : i32" +
                        causal + "} : !x, !x, !x\n  return %0 : !x\n}\n",
                    Operands::F16);
  };
  hk::KernelDescription kernel = getCausal("256", ", causal");
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 64, 4};
  schedule.usesWarpgroups = true;
  schedule.ctas = 1;
  // 4 blocks of 64 rows see 64, 128, 192 and 256 keys.
  KernelWork single = kernel.getWork(schedule, device);
  EXPECT_EQ(single.ctas, 40);
  EXPECT_DOUBLE_EQ(single.imbalance, 4 * 256. / 640);
  schedule.rowBlocks = 2;
  KernelWork pairs = kernel.getWork(schedule, device);
  EXPECT_EQ(pairs.ctas, 20);
  EXPECT_EQ(pairs.imbalance, 1);
  EXPECT_EQ(pairs.warpgroupFlops, single.warpgroupFlops);
  // A CTA waits for the first of its queries, and stores the last of its rows.
  EXPECT_EQ(pairs.exposedBytes, single.exposedBytes / 2);
  EXPECT_EQ(pairs.stages, 2 * single.stages);
  // Of three blocks, one has no other: 2/3 and 1/3 of the work.
  KernelWork odd = getCausal("192", ", causal").getWork(schedule, device);
  EXPECT_EQ(odd.ctas, 20);
  EXPECT_DOUBLE_EQ(odd.imbalance, 4. / 3);

  EXPECT_EQ(kernel.whyRefused(schedule), "");
  EXPECT_NE(getCausal("256", "").whyRefused(schedule), "");
  EXPECT_NE(getCausal("64", ", causal").whyRefused(schedule), "");
  schedule.heads = 2;
  EXPECT_NE(kernel.whyRefused(schedule), "");
}

TEST_F(WarpgroupWork, PersistentCtas) {
  auto get = [&](int64_t batch) {
    return describe("!x = tensor<" + std::to_string(batch) +
                        "x256x64xf16>\nfunc.func @f(%x: !x) -> !x {\n"
                        "  %0 = hk.attention %x, %x, %x {num_heads = 1 : i32, "
                        "causal} : !x, !x, !x\n  return %0 : !x\n}\n",
                    Operands::F16);
  };
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 64, 4};
  schedule.usesWarpgroups = true;
  schedule.ctas = 2;
  const int64_t most = 2 * device.sms;
  auto getPersistent = [&](const hk::KernelDescription &kernel) {
    CUDASchedule persistent = schedule;
    persistent.isPersistent = true;
    return kernel.getWork(persistent, device);
  };
  // 4 blocks a sequence: 10 items a CTA.
  hk::KernelDescription large = get(most * 10 / 4);
  KernelWork single = large.getWork(schedule, device);
  KernelWork work = getPersistent(large);
  EXPECT_EQ(single.ctas, 10 * most);
  EXPECT_EQ(work.ctas, most);
  EXPECT_EQ(work.warpgroupFlops, single.warpgroupFlops);
  EXPECT_DOUBLE_EQ(work.stages, 10 * single.stages);
  EXPECT_DOUBLE_EQ(work.exposedBytes, single.exposedBytes / 10);
  // Half of the largest block, which is 1.6 times the mean one, of ten.
  EXPECT_DOUBLE_EQ(single.imbalance, 1.6);
  EXPECT_DOUBLE_EQ(work.imbalance, 1 + 0.8 / 10);
  // 2.5 items a CTA: some have three.
  hk::KernelDescription few = get(most * 10 / 16);
  EXPECT_DOUBLE_EQ(getPersistent(few).imbalance, 1 + 0.8 / 2.5);
  // No more CTAs than there are items, and then nothing is different.
  hk::KernelDescription small = get(10);
  EXPECT_EQ(getPersistent(small).ctas, 40);
  EXPECT_DOUBLE_EQ(getPersistent(small).imbalance, 1.6);
  EXPECT_EQ(getPersistent(small).stages,
            small.getWork(schedule, device).stages);
}

TEST_F(WarpgroupWork, QueriesHaveSharedMemoryOfTheirOwn) {
  hk::KernelDescription kernel =
      describe("!x = tensor<10x128x64xf16>\nfunc.func @f(%x: !x) -> !x {\n"
               "  %0 = hk.attention %x, %x, %x {num_heads = 1 : i32} "
               ": !x, !x, !x\n  return %0 : !x\n}\n",
               Operands::F16);
  CUDASchedule schedule = {64, 4, 0, 1, 64, 64, 64, 4};
  // Four slots of 64 keys or values.
  EXPECT_EQ(kernel.getWork(schedule, device).shared, 4 * 64 * 64 * 2);
  schedule.usesWarpgroups = true;
  schedule.ctas = 1;
  KernelWork wide = kernel.getWork(schedule, device);
  EXPECT_EQ(wide.shared, 4 * 64 * 64 * 2 + 64 * 64 * 2);
  // Each block of keys has a price of its own: 300 instructions of each warp.
  schedule.keys = 32;
  KernelWork narrow = kernel.getWork(schedule, device);
  double blocks = 10 * 2 * 2 * 4; // heads, blocks of rows and keys, warps
  EXPECT_DOUBLE_EQ(narrow.instructions - wide.instructions, blocks * 300 * 32);
}

TEST_F(WarpgroupWork, BothInstructionsAreMeasured) {
  for (const hk::KernelDescription &kernel : {getGemm(), getAttention()})
    for (int64_t most : {2, 3, 8}) {
      hk::CUDACandidates found = hk::rankCUDASchedules(kernel, device, most);
      EXPECT_LE(int64_t(found.best.size()), most);
      EXPECT_TRUE(llvm::any_of(found.best, uses));
      EXPECT_FALSE(llvm::all_of(found.best, uses));
      for (const CUDACandidate &candidate : found.best) {
        const CUDASchedule &s = candidate.schedule;
        EXPECT_TRUE(candidate.cost.fits());
        EXPECT_EQ(s.ctas > 0, s.usesWarpgroups);
        if (s.usesWarpgroups) {
          EXPECT_EQ(s.units % 4, 0);
        }
      }
    }
}

TEST_F(WarpgroupWork, TheBestComesFirst) {
  for (const hk::KernelDescription &kernel : {getGemm(), getAttention()}) {
    hk::CUDACandidates one = hk::rankCUDASchedules(kernel, device, 1);
    ASSERT_EQ(one.best.size(), 1u);
    hk::CUDACandidates three = hk::rankCUDASchedules(kernel, device, 3);
    EXPECT_EQ(three.best.front().cost.total, one.best.front().cost.total);
    EXPECT_EQ(uses(three.best.front()), uses(one.best.front()));
  }
}

TEST_F(WarpgroupWork, OnlyWhereThereIsWgmma) {
  for (llvm::StringRef name : {"a100", "rtx3090", "rtx4090", "rtx5090"})
    for (const hk::KernelDescription &kernel : {getGemm(), getAttention()})
      EXPECT_FALSE(llvm::any_of(
          hk::rankCUDASchedules(kernel, *hk::findDevice(name), 100).best, uses))
          << name.str();
}

TEST_F(WarpgroupWork, OnlyForOperandsOf16Bits) {
  for (Operands operands : {Operands::TF32, Operands::TF32x3})
    for (const hk::KernelDescription &kernel :
         {getGemm(operands), getAttention(operands)})
      EXPECT_FALSE(
          llvm::any_of(hk::rankCUDASchedules(kernel, device, 100).best, uses));
}

TEST_F(WarpgroupWork, Text) {
  CUDASchedule schedule = {64, 4, 32, 0, 32, 64, 64, 3};
  schedule.usesWarpgroups = true;
  schedule.ctas = 2;
  EXPECT_EQ(hk::describe(schedule, hk::CUDAFamily::Gemm),
            "rows 64, units 4, columns 32, depth 64, stages 3, wgmma, 2 CTAs "
            "an SM");
}

TEST_F(WarpgroupWork, TheNextIsNotAmongTheBest) {
  for (int64_t most : {1, 2, 3, 4, 8}) {
    hk::CUDACandidates found = hk::rankCUDASchedules(getGemm(), device, most);
    if (!found.next)
      continue;
    std::string next = hk::describe(found.next->schedule, hk::CUDAFamily::Gemm);
    for (const CUDACandidate &candidate : found.best)
      EXPECT_NE(hk::describe(candidate.schedule, hk::CUDAFamily::Gemm), next)
          << most;
  }
}

} // namespace
