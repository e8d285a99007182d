// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Target/Devices/Device.h"
#include "hk/Target/NVPTX/Arch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

using namespace hk;

TEST(Device, FiguresArePlausible) {
  EXPECT_EQ(listDevices(), "a100, rtx3090, rtx4090, h100, h200, rtx5090");
  for (const Device &device : getDevices()) {
    SCOPED_TRACE(device.name);
    EXPECT_EQ(findDevice(device.name), &device);
    const Arch *arch = findArch(device.arch);
    ASSERT_TRUE(arch);
    EXPECT_EQ(device.sharedPerCTA, arch->maxShared);
    EXPECT_EQ(device.sharedPerSM, device.sharedPerCTA + 1024);
    EXPECT_LE(device.maxCluster, arch->maxCluster);
    EXPECT_EQ(device.registers, 64 * 1024);
    EXPECT_GE(device.sms, 64);
    EXPECT_LE(device.sms, 256);
    EXPECT_GT(device.clock, 1e9);
    EXPECT_LT(device.clock, 3e9);
    EXPECT_TRUE(device.threadsPerSM == 1536 || device.threadsPerSM == 2048);
    EXPECT_GE(device.ctasPerSM, 16);
    EXPECT_LE(device.ctasPerSM, 32);
    EXPECT_GE(device.l2Size, 4 << 20);
    // The cache is faster than the memory, and no SM takes more than 64 bytes
    // a clock from it.
    EXPECT_GT(device.l2Bandwidth, device.memoryBandwidth);
    EXPECT_LE(device.l2Bandwidth, 64 * device.sms * device.clock);
    EXPECT_GT(device.memoryBandwidth, 0.5e12);
    EXPECT_EQ(device.mmaSync.tf32 * 2, device.mmaSync.f16);
    EXPECT_EQ(device.wgmma.tf32 * 2, device.wgmma.f16);
    EXPECT_EQ(device.wgmma.f16 > 0, device.arch == "sm_90a");
    if (device.wgmma.f16 > 0)
      EXPECT_GT(device.wgmma.f16, device.mmaSync.f16);
    // Dense f16 with f32 accumulators, in TFLOP/s.
    double peak = std::max(device.mmaSync.f16, device.wgmma.f16) * device.sms *
                  device.clock / 1e12;
    EXPECT_GT(peak, 60);
    EXPECT_LT(peak, 1000);
    EXPECT_LE(device.fma, device.issue);
    EXPECT_GE(device.fma, device.mufu);
    EXPECT_GT(device.launch, device.nextLaunch);
    EXPECT_LT(device.launch, 10e-6);
  }
}

TEST(Device, EveryArchitectureHasADefault) {
  for (const Arch &arch : getArchs()) {
    const Device *device = getDefaultDevice(arch.name);
    ASSERT_TRUE(device) << arch.name.str();
    EXPECT_EQ(device->arch, arch.name);
  }
  EXPECT_EQ(getDefaultDevice("sm_90a")->name, "h200");
  EXPECT_EQ(getDefaultDevice("sm_75"), nullptr);
  EXPECT_EQ(findDevice("voodoo"), nullptr);
}

/// The description of the H200, with one text replaced.
std::string change(const std::string &from, const std::string &to) {
  std::ifstream file(HK_DEVICES "/h200.json");
  std::stringstream text;
  text << file.rdbuf();
  std::string json = text.str();
  size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

std::string parse(const std::string &json) {
  auto device = parseDevice(json);
  return device ? "" : llvm::toString(device.takeError());
}

TEST(Device, DescriptionsAreChecked) {
  EXPECT_EQ(parse(change("h200", "mine")), "");
  EXPECT_EQ(parse("[]"), "expects an object in JSON");
  EXPECT_NE(parse("{"), "");
  EXPECT_EQ(parse(change("\"sms\": 132,", "")),
            "expects a number above zero as 'sms', but got none");
  EXPECT_EQ(parse(change("132", "\"many\"")),
            "expects a number above zero as 'sms', but got \"many\"");
  EXPECT_EQ(parse(change("4.3e12", "0")),
            "expects a number above zero as 'memory_bytes_per_second', but "
            "got 0");
  EXPECT_EQ(parse(change("\"h200\"", "7")),
            "expects a text as 'name', but got 7");
  EXPECT_EQ(parse(change("\"sms\"", "\"cores\": 1, \"sms\"")),
            "expects no field 'cores'");
  EXPECT_EQ(parse(change("{ \"f16\": 2560, \"tf32\": 1280 }", "3")),
            "expects an object as 'mma_sync_flop_per_clock', but got 3");
  EXPECT_EQ(parse(change("2560", "-1")),
            "expects a number that is not negative as 'f16', but got -1");
  EXPECT_EQ(parse(change("sm_90a", "sm_90")),
            "expects sm_80, sm_86, sm_89, sm_90a or sm_120 as 'arch', but got "
            "'sm_90'");
}

TEST(Device, DescriptionsAreLoadedOnce) {
  const std::string path = testing::TempDir() + "hk_device.json";
  std::ofstream(path) << change("\"h200\"", "\"loaded\"");
  auto device = loadDevice(path);
  ASSERT_TRUE(static_cast<bool>(device)) << llvm::toString(device.takeError());
  EXPECT_EQ(findDevice("loaded"), *device);
  EXPECT_EQ((*device)->sms, 132);
  auto again = loadDevice(path);
  ASSERT_FALSE(static_cast<bool>(again));
  EXPECT_EQ(llvm::toString(again.takeError()),
            "'" + path +
                "': expects a name that no device has, but got 'loaded'");
  std::remove(path.c_str());
}

} // namespace
