// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "special.h"

#include "fault.h"

namespace hk::emulator {
namespace {

using Extent = std::array<uint32_t, 3>;

/// The component that a name such as "%tid.y" ends in.
uint32_t component(const Extent &extent, const std::string &name) {
  switch (name.back()) {
  case 'x':
    return extent[0];
  case 'y':
    return extent[1];
  case 'z':
    return extent[2];
  default:
    return 0;
  }
}

uint32_t laneMask(const std::string &name, unsigned lane) {
  const uint32_t self = 1u << lane;
  if (name == "%lanemask_eq")
    return self;
  if (name == "%lanemask_lt")
    return self - 1;
  if (name == "%lanemask_le")
    return (self - 1) | self;
  if (name == "%lanemask_gt")
    return ~((self - 1) | self);
  return ~(self - 1);
}

uint64_t value(const Launch &launch, const Warp &warp, const std::string &name,
               unsigned lane) {
  const LaunchConfig &config = launch.config;
  const Cta &cta = *warp.cta;
  const uint32_t thread = warp.index * kWarpSize + lane;
  const Extent tid{thread % config.block[0],
                   thread / config.block[0] % config.block[1],
                   thread / config.block[0] / config.block[1]};
  const auto begins = [&](const char *prefix) {
    return name.rfind(prefix, 0) == 0;
  };
  Extent clusters, within;
  for (unsigned d = 0; d < 3; ++d) {
    clusters[d] = config.grid[d] / config.cluster[d];
    within[d] = cta.id[d] % config.cluster[d];
  }
  if (begins("%tid."))
    return component(tid, name);
  if (begins("%ntid."))
    return component(config.block, name);
  if (begins("%ctaid."))
    return component(cta.id, name);
  if (begins("%nctaid."))
    return component(config.grid, name);
  if (begins("%clusterid."))
    return component(cta.cluster->id, name);
  if (begins("%nclusterid."))
    return component(clusters, name);
  if (begins("%cluster_ctaid."))
    return component(within, name);
  if (begins("%cluster_nctaid."))
    return component(config.cluster, name);
  if (name == "%cluster_ctarank")
    return cta.rank;
  if (name == "%cluster_nctarank")
    return cta.cluster->ctas.size();
  if (name == "%is_explicit_cluster")
    return cta.cluster->ctas.size() > 1;
  if (name == "%laneid")
    return lane;
  if (name == "%warpid")
    return warp.index;
  if (name == "%nwarpid")
    return cta.warps.size();
  if (begins("%lanemask_"))
    return laneMask(name, lane);
  if (name == "%dynamic_smem_size")
    return config.sharedBytes;
  if (name == "%total_smem_size")
    return cta.shared.size();
  if (name == "%nsmid")
    return 1;
  if (begins("%clock") || begins("%globaltimer") || name == "%smid" ||
      name == "%gridid")
    return 0;
  throw UnsupportedError("kernel '" + launch.program->text->name +
                         "': the emulator does not model '" + name + "'");
}

} // namespace

void fillSpecialRegisters(const Launch &launch, Warp &warp) {
  for (const SpecialUse &use : launch.program->specials) {
    warp.valid[use.reg] = ~uint32_t(0);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      warp.registers[size_t(use.reg) * kWarpSize + lane] =
          value(launch, warp, use.name, lane);
  }
}

} // namespace hk::emulator
