// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of round numbers, so that every time here was found by hand.

#include "hk/Analysis/CostModel.h"

#include "hk/Target/Devices/Device.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using hk::Bound;
using hk::Device;
using hk::KernelCost;
using hk::KernelWork;
using hk::predictCost;

/// 100 SMs at 1 GHz: 1000 clocks are a microsecond.
Device getDevice() {
  Device device;
  device.sms = 100;
  device.clock = 1e9;
  device.registers = 65536;
  device.threadsPerSM = 2048;
  device.ctasPerSM = 32;
  device.sharedPerSM = 200 * 1024;
  device.sharedPerCTA = 199 * 1024;
  device.l2Size = 50 << 20;
  device.l2Bandwidth = 4e12;
  device.memoryBandwidth = 2e12;
  device.mmaSync = {2000, 1000};
  device.wgmma = {4000, 2000};
  device.mufu = 16;
  device.issue = 128;
  device.fma = 128;
  device.sharedBytes = 128;
  device.launch = 3e-6;
  device.nextLaunch = 1e-6;
  return device;
}

/// 100 CTAs of 4 warps, two of which fit an SM.
KernelWork getWork() {
  KernelWork work;
  work.ctas = 100;
  work.units = 4;
  work.threads = 128;
  work.registers = 256 - 1;
  return work;
}

/// Each SM starts one CTA.
constexpr double kStart = 0.05;

TEST(CostModel, NothingIsALaunch) {
  KernelCost cost = predictCost(getWork(), getDevice());
  // And the start of a CTA.
  EXPECT_DOUBLE_EQ(cost.total, 1 + kStart);
  EXPECT_EQ(cost.bound, Bound::Launch);
  EXPECT_EQ(cost.resident, 2);
  EXPECT_DOUBLE_EQ(cost.waves, 0.5);
}

TEST(CostModel, ACopyRunsAtTheRateOfMemory) {
  KernelWork work = getWork();
  work.ctas = 100000;
  work.memoryBytes = work.l2Bytes = 8e9;
  KernelCost cost = predictCost(work, getDevice());
  // 8 GB at 2 TB/s.
  EXPECT_DOUBLE_EQ(cost.memory, 4000);
  EXPECT_DOUBLE_EQ(cost.l2, 2000);
  EXPECT_NEAR(cost.total, 4001, 0.01);
  EXPECT_EQ(cost.bound, Bound::Memory);
}

TEST(CostModel, OneSMTakesInSoMuch) {
  KernelWork work = getWork();
  work.ctas = 1;
  work.l2Bytes = 40e3;
  // 40 bytes a clock, not 4 TB/s.
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).l2, 1);
}

TEST(CostModel, TensorCores) {
  KernelWork work = getWork();
  work.f16Flops = 100 * 2000 * 10e3; // 10000 clocks of every SM.
  KernelCost cost = predictCost(work, getDevice());
  EXPECT_DOUBLE_EQ(cost.tensor, 10);
  // Four warps, one a scheduler: each reaches 0.8 of its rate.
  EXPECT_DOUBLE_EQ(cost.latency, 12.5 + kStart);
  EXPECT_NEAR(cost.total,
              1 + std::cbrt(std::pow(10., 3) + std::pow(12.5 + kStart, 3)),
              1e-9);
  EXPECT_EQ(cost.bound, Bound::Latency);
  work.tf32Flops = work.f16Flops;
  work.f16Flops = 0;
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).tensor, 20);
  // Warpgroups have a rate of their own; what warps multiply comes on top.
  work.tf32Flops = 0;
  work.warpgroupFlops = 100 * 4000 * 10e3;
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).tensor, 10);
  work.f16Flops = 100 * 2000 * 10e3;
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).tensor, 20);
}

TEST(CostModel, RatesOfAnSM) {
  KernelWork work = getWork();
  work.sharedBytes = 100 * 128 * 1e3;
  work.instructions = 100 * 128 * 2e3;
  work.mufu = 100 * 16 * 3e3;
  KernelCost cost = predictCost(work, getDevice());
  EXPECT_DOUBLE_EQ(cost.shared, 1);
  EXPECT_DOUBLE_EQ(cost.issue, 2);
  EXPECT_DOUBLE_EQ(cost.mufu, 3);
  // A warp issues in half of the clocks, and special functions in 0.8.
  EXPECT_NEAR(cost.latency, 2 / 0.5 + 3 / 0.8 + kStart, 1e-9);
}

TEST(CostModel, StepsAndTrips) {
  KernelWork work = getWork();
  work.stages = 10;
  EXPECT_NEAR(predictCost(work, getDevice()).latency, 1.3 + kStart, 1e-9);
  work.trips = 1; // Beside the steps.
  EXPECT_NEAR(predictCost(work, getDevice()).latency, 1.3 + kStart, 1e-9);
  work.trips = 3;
  EXPECT_NEAR(predictCost(work, getDevice()).latency, 2.1 + kStart, 1e-9);
  work.loads = 2;
  EXPECT_NEAR(predictCost(work, getDevice()).latency, 3.5 + kStart, 1e-9);
}

TEST(CostModel, WholeWaves) {
  // The same CTA, 100, 101, 200 and 201 times; two fit an SM.
  auto predict = [](int64_t ctas) {
    KernelWork work = getWork();
    work.ctas = ctas;
    work.f16Flops = double(ctas) * 2000 * 1e3;
    return predictCost(work, getDevice());
  };
  EXPECT_DOUBLE_EQ(predict(100).tensor, 1);
  EXPECT_DOUBLE_EQ(predict(101).tensor, 2);
  EXPECT_DOUBLE_EQ(predict(200).tensor, 2);
  EXPECT_DOUBLE_EQ(predict(201).tensor, 3);
  // Two CTAs run side by side; a third comes after.
  EXPECT_DOUBLE_EQ(predict(101).latency, 1.25 + 2 * kStart);
  EXPECT_DOUBLE_EQ(predict(201).latency, 2.5 + 3 * kStart);
  EXPECT_DOUBLE_EQ(predict(201).waves, 1.005);
}

TEST(CostModel, TheLargestCTACounts) {
  KernelWork work = getWork();
  work.f16Flops = 100 * 2000 * 1e3;
  work.imbalance = 1.5;
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).tensor, 1.5);
  // Not where an SM has many.
  work.ctas = 1000;
  EXPECT_DOUBLE_EQ(predictCost(work, getDevice()).tensor, 1);
}

TEST(CostModel, MonotoneInEachResource) {
  for (double KernelWork::*field :
       {&KernelWork::f16Flops, &KernelWork::tf32Flops,
        &KernelWork::warpgroupFlops, &KernelWork::mufu,
        &KernelWork::instructions, &KernelWork::sharedBytes,
        &KernelWork::l2Bytes, &KernelWork::memoryBytes, &KernelWork::stages,
        &KernelWork::loads, &KernelWork::trips}) {
    KernelWork work = getWork();
    work.f16Flops = work.tf32Flops = work.warpgroupFlops = 1e9;
    work.mufu = work.instructions = work.sharedBytes = 1e7;
    work.l2Bytes = work.memoryBytes = 1e8;
    work.stages = work.loads = work.trips = 10;
    double before = predictCost(work, getDevice()).total;
    for (int i = 0; i < 20; ++i) {
      work.*field *= 2;
      double after = predictCost(work, getDevice()).total;
      EXPECT_GE(after, before);
      before = after;
    }
    EXPECT_GT(before, 10);
  }
}

TEST(CostModel, WhatDoesNotFit) {
  KernelWork work = getWork();
  work.registers = 256;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  work = getWork();
  work.shared = 199 * 1024;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 1);
  ++work.shared;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  // A fifth warp takes the registers of four.
  work = getWork();
  work.registers = 128;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 4);
  work.threads = 160;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 2);
  // 512 threads of 255 registers are 128 K of them.
  work = getWork();
  work.threads = 512;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  work.registers = 128;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 1);
}

TEST(CostModel, RegistersAreCutOutForSoManyCTAs) {
  // Two CTAs of four warps that compute and four that copy: 224 registers.
  KernelWork work = getWork();
  work.threads = 256;
  work.ctasOfSM = 2;
  work.registers = 224;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 2);
  ++work.registers;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  // More CTAs would fit, but two are what it is made for.
  work.registers = 32;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 2);
  // Of 200 KB, each has a half, less what the system takes.
  work.shared = 99 * 1024;
  EXPECT_EQ(predictCost(work, getDevice()).resident, 2);
  ++work.shared;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  // A single CTA has nothing to share out.
  work.shared = 0;
  work.ctasOfSM = 1;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  // 8 times 256 threads are all that an SM has, but 8 CTAs have too few
  // registers.
  work.ctasOfSM = 8;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
}

TEST(CostModel, ProductsNeedRegistersFromTheStart) {
  // 65536 registers of 3 times 384 threads are 56 each, of 2 times 85.
  KernelWork work;
  work.units = 8;
  work.threads = 384;
  work.registers = 48;
  work.ctasOfSM = 3;
  EXPECT_FALSE(predictCost(work, getDevice()).fits());
  work.ctasOfSM = 2;
  EXPECT_TRUE(predictCost(work, getDevice()).fits());
}

TEST(CostModel, AnInstructionThatThereIsNot) {
  Device device = getDevice();
  device.mmaSync = device.wgmma = {0, 0};
  EXPECT_DOUBLE_EQ(predictCost(getWork(), device).total, 1 + kStart);
}

TEST(CostModel, Text) {
  KernelWork work = getWork();
  work.ctas = 100000;
  work.memoryBytes = work.l2Bytes = 8e9;
  EXPECT_EQ(describe(predictCost(work, getDevice())),
            "4001.0 us (L2 2000.0, memory 4000.0; 500.00 waves of 2 CTAs an "
            "SM)");
}

} // namespace
