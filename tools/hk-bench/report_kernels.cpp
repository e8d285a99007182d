// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of a plan's dispatches, and of the variants of its kernels.
#include "report.h"

#include <algorithm>

using namespace hk::tools;

void hk::tools::printDispatches(const BenchReport &report,
                                const PlanReport &plan, std::FILE *stream) {
  size_t width = 6;
  for (const DispatchTime &time : plan.times)
    width = std::max(width, time.cost.kernel.size());
  std::fprintf(stream, "\ndispatches of %s, each alone, back to back:\n",
               plan.name.c_str());
  std::fprintf(stream,
               "%3s %-*s %5s %10s %10s %10s %8s %5s %8s %5s %6s\n", "",
               static_cast<int>(width), "kernel", "layer", "time", "predicted",
               "bytes", "GB/s", "peak", "GF/s", "peak", "gap");
  double total = 0;
  for (size_t i = 0; i < plan.times.size(); ++i) {
    const DispatchTime &time = plan.times[i];
    const Cost &cost = time.cost.cost;
    std::string layer =
        time.cost.layer < 0 ? "-" : std::to_string(time.cost.layer);
    const Peaks &peaks = report.peaks;
    std::fprintf(stream,
                 "%3zu %-*s %5s %10s %10s %10s %8.1f %5s %8.0f %5s %6s\n", i,
                 static_cast<int>(width), time.cost.kernel.c_str(),
                 layer.c_str(), formatSeconds(time.seconds).c_str(),
                 predictedText(time.cost.predicted).c_str(),
                 formatBytes(cost.bytes()).c_str(),
                 giga(cost.bytes(), time.seconds),
                 shareText(peaks.shareOfBytes(cost, time.seconds)).c_str(),
                 giga(cost.flops, time.seconds),
                 shareText(peaks.shareOfFlops(cost, time.seconds)).c_str(),
                 gapTo(peaks.floor(cost), time.seconds).c_str());
    total += time.seconds;
  }
  std::fprintf(stream, "    sum %s\n", formatSeconds(total).c_str());
}

void hk::tools::printVariants(const PlanReport &plan, std::FILE *stream) {
  std::fprintf(stream, "\nvariants of kernels of %s, each alone:\n",
               plan.name.c_str());
  for (const KernelVariants &kernel : kernelsOf(plan)) {
    const bool isWrong = kernel.isWrong(plan);
    std::fprintf(stream, "kernel %s%s\n",
                 plan.variants[kernel.first].variant.kernel.c_str(),
                 isWrong ? ": the first is NOT within 15 % of the best" : "");
    for (size_t i = kernel.first; i < kernel.end; ++i) {
      const VariantTime &time = plan.variants[i];
      std::fprintf(stream, "  %c %10s, predicted %10s  %s\n",
                   i == kernel.best && time.seconds >= 0 ? '*' : ' ',
                   time.seconds < 0 ? "-" : formatSeconds(time.seconds).c_str(),
                   predictedText(time.variant.predicted).c_str(),
                   time.variant.schedule.c_str());
      if (!time.reason.empty())
        std::fprintf(stream, "      does not run: %s\n", time.reason.c_str());
      if (isWrong && !time.variant.terms.empty())
        std::fprintf(stream, "      us: %s\n", time.variant.terms.c_str());
    }
  }
  for (const std::string &refusal : plan.refusals)
    std::fprintf(stream, "compiler: %s\n", refusal.c_str());
}
