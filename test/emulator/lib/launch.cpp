// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

#include "special.h"

namespace hk::emulator {
namespace {

using Extent = std::array<uint32_t, 3>;

uint64_t volume(const Extent &extent) {
  return uint64_t(extent[0]) * extent[1] * extent[2];
}

std::string show(const Extent &extent) {
  return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " +
         std::to_string(extent[2]);
}

/// Of a directive that gives up to three extents; `otherwise` without it.
Extent directive(const Program &program, const char *name, uint32_t otherwise) {
  Extent extent{otherwise, 1, 1};
  const auto found = program.text->directives.find(name);
  if (found != program.text->directives.end())
    for (size_t d = 0; d < found->second.size() && d < 3; ++d)
      extent[d] = found->second[d];
  return extent;
}

/// Bytes of shared memory that a CTA may use, by the target's number.
uint32_t sharedLimit(const std::string &target) {
  const unsigned long sm =
      target.size() > 3 ? std::strtoul(target.c_str() + 3, nullptr, 10) : 0;
  switch (sm) {
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
  case 121:
    return 99 << 10;
  case 90:
  case 100:
  case 103:
    return 227 << 10;
  default:
    return 48 << 10;
  }
}

[[noreturn]] void refuse(const Program &program, const std::string &message) {
  throw ModuleError("kernel '" + program.text->name + "': " + message);
}

Extent check(const Program &program, const std::string &target,
             const LaunchConfig &config) {
  const uint64_t threads = volume(config.block);
  if (volume(config.grid) == 0 || threads == 0)
    refuse(program, "expects at least one CTA and thread, but got grid " +
                        show(config.grid) + ", block " + show(config.block));
  const Extent required = directive(program, ".reqntid", 0);
  if (required[0] && required != config.block)
    refuse(program, "expects blocks of " + show(required) +
                        " threads (.reqntid), but got " + show(config.block));
  if (threads > maxThreadsOf(program))
    refuse(program, "expects at most " + std::to_string(maxThreadsOf(program)) +
                        " threads in a block, but got " +
                        std::to_string(threads));
  const uint64_t shared = uint64_t(program.staticShared) + config.sharedBytes;
  if (shared > sharedLimit(target))
    refuse(program, "expects at most " + std::to_string(sharedLimit(target)) +
                        " bytes of shared memory on " + target + ", but got " +
                        std::to_string(shared));
  if (config.parameters.size() != program.parameterBytes)
    refuse(program, "expects " + std::to_string(program.parameterBytes) +
                        " bytes of parameters, but got " +
                        std::to_string(config.parameters.size()));
  const Extent fixed = directive(program, ".reqnctapercluster", 0);
  Extent cluster = config.cluster;
  if (cluster[0] == 0)
    cluster = fixed[0] ? fixed : Extent{1, 1, 1};
  if (fixed[0] && fixed != cluster)
    refuse(program, "expects clusters of " + show(fixed) +
                        " CTAs (.reqnctapercluster), but got " + show(cluster));
  if (volume(cluster) == 0 || volume(cluster) > 16)
    refuse(program,
           "expects clusters of 1 to 16 CTAs, but got " + show(cluster));
  for (unsigned d = 0; d < 3; ++d)
    if (config.grid[d] % cluster[d])
      refuse(program, "expects a grid that clusters of " + show(cluster) +
                          " CTAs divide, but got " + show(config.grid));
  return cluster;
}

std::unique_ptr<Cta> makeCta(Launch &launch, Cluster &cluster, const Extent &id,
                             uint32_t rank, size_t slots) {
  const Program &program = *launch.program;
  const size_t sharedBytes =
      size_t(program.staticShared) + launch.config.sharedBytes;
  auto cta = std::make_unique<Cta>(sharedBytes);
  cta->cluster = &cluster;
  cta->id = id;
  cta->rank = rank;
  if (launch.options.races)
    cta->races = std::make_unique<RaceDetector>(sharedBytes, slots);
  const auto threads = static_cast<uint32_t>(volume(launch.config.block));
  for (uint32_t first = 0; first < threads; first += kWarpSize) {
    auto warp = std::make_unique<Warp>();
    warp->cta = cta.get();
    warp->index = first / kWarpSize;
    const uint32_t count = std::min(threads - first, uint32_t(kWarpSize));
    warp->lanes = count == kWarpSize ? ~uint32_t(0) : (1u << count) - 1;
    warp->running = warp->lanes;
    warp->registers.resize(program.registerTypes.size() * kWarpSize);
    warp->valid.resize(program.registerTypes.size());
    warp->inFlight.resize(program.registerTypes.size());
    warp->unfenced.resize(program.registerTypes.size());
    warp->local.resize(kWarpSize);
    cta->warps.push_back(std::move(warp));
  }
  return cta;
}

} // namespace

uint32_t maxThreadsOf(const Program &program) {
  for (const char *name : {".reqntid", ".maxntid"}) {
    const Extent extent = directive(program, name, 0);
    if (extent[0])
      return static_cast<uint32_t>(volume(extent));
  }
  return 1024;
}

LaunchStatistics runLaunch(const Program &program, const std::string &target,
                           const LaunchConfig &config, Memory &memory,
                           const Options &options) {
  Launch launch;
  launch.program = &program;
  launch.memory = &memory;
  launch.config = config;
  launch.config.cluster = check(program, target, config);
  launch.options = options;
  if (!config.programmatic)
    memory.settle();
  for (const uint64_t constant : program.constants)
    launch.constants.insert(launch.constants.end(), kWarpSize, constant);
  const Extent &shape = launch.config.cluster;
  const Extent clusters{config.grid[0] / shape[0], config.grid[1] / shape[1],
                        config.grid[2] / shape[2]};
  const auto warps = (volume(config.block) + kWarpSize - 1) / kWarpSize;
  // The last slot is the agent's that copies in bulk.
  const size_t slots = volume(shape) * warps + 1;
  for (uint64_t c = 0; c < volume(clusters); ++c) {
    Cluster cluster;
    cluster.id = {static_cast<uint32_t>(c % clusters[0]),
                  static_cast<uint32_t>(c / clusters[0] % clusters[1]),
                  static_cast<uint32_t>(c / clusters[0] / clusters[1])};
    for (uint32_t rank = 0; rank < volume(shape); ++rank) {
      const Extent within{rank % shape[0], rank / shape[0] % shape[1],
                          rank / shape[0] / shape[1]};
      Extent id;
      for (unsigned d = 0; d < 3; ++d)
        id[d] = cluster.id[d] * shape[d] + within[d];
      cluster.ctas.push_back(makeCta(launch, cluster, id, rank, slots));
    }
    uint32_t slot = 0;
    for (const auto &cta : cluster.ctas)
      for (const auto &warp : cta->warps) {
        warp->slot = slot++;
        if (options.races) {
          warp->clocks.reset(slots);
          warp->clocks.seen[warp->slot] = 1;
        }
        fillSpecialRegisters(launch, *warp);
      }
    runCluster(launch, cluster);
  }
  return launch.statistics;
}

} // namespace hk::emulator
