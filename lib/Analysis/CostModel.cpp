// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/CostModel.h"

#include "hk/Dialect/Tile/RegisterSplit.h"
#include "hk/Target/Devices/Device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace hk;

// Clocks and rates that microbenchmarks of a whole kernel gave, on one device;
// docs/cost-model.md says which. They differ little between devices.

/// A dependent step of a warp: the end of a product, or a reduction of rows.
static constexpr double kStageClocks = 130;
/// From a load to its data, L2 or memory.
static constexpr double kTripClocks = 700;
/// From one CTA that starts on an SM to the next.
static constexpr double kStartClocks = 50;
/// What a warp alone reaches of the rate of its scheduler.
static constexpr double kLoneTensor = 0.8, kLoneIssue = 0.5, kLoneMufu = 0.8;
/// Bytes in a clock that one SM can take in from L2.
static constexpr double kIngest = 40;

static constexpr int64_t kSchedulers = 4, kWarp = 32;
/// With fewer registers as a kernel starts, ptxas serialises even narrow
/// products of warpgroups (C7512), whatever warps give to each other.
static constexpr int64_t kLeastAtLaunch = 64;
/// Bytes of shared memory that each CTA takes besides.
static constexpr int64_t kSharedOverhead = 1024;

static double norm(double power, llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values)
    sum += std::pow(value, power);
  return std::pow(sum, 1 / power);
}

/// The CTAs that an SM can hold at once.
static int64_t getResident(const KernelWork &work, const Device &device) {
  // Each scheduler gets the registers of as many warps as the one with most.
  int64_t registers = llvm::alignTo(work.registers, 8) *
                      llvm::alignTo(work.threads, kSchedulers * kWarp);
  if (work.registers > 255 || work.threads > 1024 ||
      work.shared > device.sharedPerCTA)
    return 0;
  if (work.ctasOfSM > 0) {
    std::optional<tile::RegisterSplit> split = tile::RegisterSplit::get(
        work.units, work.threads / kWarp - work.units, work.ctasOfSM,
        device.registers);
    bool fits = split && split->launch >= kLeastAtLaunch &&
                split->consumer >= work.registers &&
                work.ctasOfSM * work.threads <= device.threadsPerSM &&
                work.ctasOfSM * (work.shared + kSharedOverhead) <=
                    device.sharedPerSM;
    return fits ? work.ctasOfSM : 0;
  }
  return std::min(
      {device.registers / registers, device.threadsPerSM / work.threads,
       device.sharedPerSM / (work.shared + kSharedOverhead), device.ctasPerSM});
}

/// What a rate of zero does is never done.
static double over(double amount, double rate) {
  return amount == 0 ? 0 : amount / rate;
}

KernelCost hk::predictCost(const KernelWork &work, const Device &device) {
  KernelCost cost;
  cost.resident = getResident(work, device);
  if (!cost.fits())
    return cost;
  int64_t ctas = std::max<int64_t>(work.ctas, 1);
  int64_t ofSM = llvm::divideCeil(ctas, device.sms);
  cost.waves = double(ctas) / double(device.sms * cost.resident);
  double clock = 1e6 / device.clock; // us

  // The SM with the most work, and what it has of all work.
  double share = std::max(double(ofSM), work.imbalance) / double(ctas);
  double tensorClocks = over(work.f16Flops, device.mmaSync.f16) +
                        over(work.tf32Flops, device.mmaSync.tf32) +
                        over(work.warpgroupFlops, device.wgmma.f16);
  cost.tensor = tensorClocks * share * clock;
  cost.shared = work.sharedBytes / device.sharedBytes * share * clock;
  cost.issue = work.instructions / device.issue * share * clock;
  cost.mufu = work.mufu / device.mufu * share * clock;
  cost.l2 = std::max(work.l2Bytes / device.l2Bandwidth * 1e6,
                     work.l2Bytes * share / kIngest * clock);
  cost.memory = work.memoryBytes / device.memoryBandwidth * 1e6;

  // What comes from memory comes through L2; a copy's rate is that of both.
  double traffic = std::max(cost.l2, cost.memory);
  double busy =
      norm(4, {cost.tensor, cost.shared, cost.issue, cost.mufu, traffic});

  // A warp has a scheduler to itself, as far as its own steps go.
  double ofWarp = double(kSchedulers) / double(ctas * work.units);
  double computing = tensorClocks * ofWarp / kLoneTensor +
                     work.instructions / device.issue * ofWarp / kLoneIssue +
                     work.mufu / device.mufu * ofWarp / kLoneMufu +
                     work.stages * kStageClocks;
  double chain =
      work.loads * kTripClocks +
      work.exposedBytes / double(ctas) / kIngest +
      std::max(computing, work.trips * kTripClocks);
  double rounds = double(llvm::divideCeil(ofSM, cost.resident));
  cost.latency =
      (chain * (rounds - 1 + work.imbalance) + kStartClocks * double(ofSM)) *
      clock;

  cost.launch = device.nextLaunch * 1e6;
  cost.total = cost.launch + norm(3, {busy, cost.latency});

  std::pair<double, Bound> times[] = {
      {cost.tensor, Bound::Tensor},   {cost.shared, Bound::Shared},
      {cost.issue, Bound::Issue},     {cost.mufu, Bound::Mufu},
      {cost.l2, Bound::L2},           {cost.memory, Bound::Memory},
      {cost.latency, Bound::Latency}, {cost.launch, Bound::Launch}};
  cost.bound =
      std::max_element(std::begin(times), std::end(times), llvm::less_first())
          ->second;
  return cost;
}

llvm::StringRef hk::describe(Bound bound) {
  switch (bound) {
  case Bound::Tensor:
    return "tensor cores";
  case Bound::Shared:
    return "shared-memory port";
  case Bound::Issue:
    return "issue";
  case Bound::Mufu:
    return "special functions";
  case Bound::L2:
    return "L2";
  case Bound::Memory:
    return "memory";
  case Bound::Latency:
    return "latency";
  case Bound::Launch:
    return "launch";
  }
  llvm_unreachable("a resource");
}

std::string hk::describe(const KernelCost &cost) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:f1} us (", cost.total);
  // A twentieth of the whole changes nothing.
  llvm::ListSeparator comma;
  auto add = [&](double time, Bound bound) {
    if (time >= cost.total / 20)
      os << comma << llvm::formatv("{0} {1:f1}", describe(bound), time);
  };
  add(cost.tensor, Bound::Tensor);
  add(cost.shared, Bound::Shared);
  add(cost.issue, Bound::Issue);
  add(cost.mufu, Bound::Mufu);
  add(cost.l2, Bound::L2);
  add(cost.memory, Bound::Memory);
  add(cost.latency, Bound::Latency);
  add(cost.launch, Bound::Launch);
  os << llvm::formatv("; {0:f2} waves of {1} CTA{2} an SM)", cost.waves,
                      cost.resident, cost.resident == 1 ? "" : "s");
  return text;
}
