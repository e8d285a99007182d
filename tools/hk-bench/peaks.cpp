// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peaks.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

using namespace hk::tools;

/// The compiler's descriptions, in JSON.
static const char *const kDescriptions[] = {
#include "Devices.inc"
};

std::optional<double> Peaks::floor(const Cost &cost) const {
  if (bytesPerSecond <= 0 && flopsPerSecond <= 0)
    return std::nullopt;
  double seconds = 0;
  if (bytesPerSecond > 0)
    seconds = static_cast<double>(cost.bytes()) / bytesPerSecond;
  if (flopsPerSecond > 0)
    seconds =
        std::max(seconds, static_cast<double>(cost.flops) / flopsPerSecond);
  return seconds;
}

static std::optional<double> share(uint64_t amount, double seconds,
                                   double peak) {
  if (peak <= 0 || seconds <= 0)
    return std::nullopt;
  return static_cast<double>(amount) / seconds / peak;
}

std::optional<double> Peaks::shareOfBytes(const Cost &cost,
                                          double seconds) const {
  return share(cost.bytes(), seconds, bytesPerSecond);
}

std::optional<double> Peaks::shareOfFlops(const Cost &cost,
                                          double seconds) const {
  return share(cost.flops, seconds, flopsPerSecond);
}

Peaks hk::tools::knownPeaks(const std::string &device) {
  // "NVIDIA GeForce RTX 4090" has rtx4090 in it.
  std::string name;
  for (char c : device)
    if (c != ' ')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char *text : kDescriptions) {
    const nlohmann::json description = nlohmann::json::parse(text);
    if (name.find(description["name"].get<std::string>()) == std::string::npos)
      continue;
    double flops = 0;
    for (const char *way : {"mma_sync_flop_per_clock", "wgmma_flop_per_clock"})
      if (description.contains(way) && description[way].contains("f16"))
        flops = std::max(flops, description[way]["f16"].get<double>());
    return {description["memory_bytes_per_second"].get<double>(),
            flops * description["sms"].get<double>() *
                description["clock_hz"].get<double>()};
  }
  return {};
}
