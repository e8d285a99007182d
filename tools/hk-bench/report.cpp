// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <algorithm>

using namespace hk::tools;

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

bool BenchReport::passed() const {
  return std::all_of(plans.begin(), plans.end(), [](const PlanReport &plan) {
    return plan.verdict.passed();
  });
}

/// "1.52", or "-" where there is no floor to set it against.
static std::string gapTo(const std::optional<double> &floor, double seconds) {
  if (!floor || *floor <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", seconds / *floor);
  return text;
}

/// What the cost model predicted, or "-".
static std::string predictedText(double seconds) {
  return seconds > 0 ? formatSeconds(seconds) : "-";
}

/// Per second, in units of 1e9.
static double giga(uint64_t amount, double seconds) {
  return seconds > 0 ? static_cast<double>(amount) / seconds * 1e-9 : 0;
}

static int widest(const BenchReport &report) {
  size_t width = 4;
  for (const PlanReport &plan : report.plans)
    width = std::max(width, plan.name.size());
  return static_cast<int>(width);
}

static void printContenders(const BenchReport &report, std::FILE *stream) {
  int width = widest(report);
  std::fprintf(stream,
               "%-*s %-6s %8s %10s %10s %10s %10s %10s %8s %8s %6s  %s\n",
               width, "plan", "launch", "launches", "median", "p10", "p90",
               "min", "predicted", "GB/s", "GF/s", "gap", "verdict");
  for (const ContenderReport &contender : report.contenders) {
    const PlanReport &plan = report.plans[contender.plan];
    const Timing &timing = contender.timing;
    std::fprintf(
        stream, "%-*s %-6s %8u %10s %10s %10s %10s %10s %8.1f %8.0f %6s  %s\n",
        width, plan.name.c_str(), contender.graph ? "graph" : "direct",
        plan.dispatches, formatSeconds(timing.median).c_str(),
        formatSeconds(timing.p10).c_str(), formatSeconds(timing.p90).c_str(),
        formatSeconds(timing.min).c_str(),
        predictedText(plan.predicted).c_str(),
        giga(plan.cost.bytes(), timing.median),
        giga(plan.cost.flops, timing.median),
        gapTo(report.peaks.floor(plan.cost), timing.median).c_str(),
        plan.verdict.text().c_str());
  }
}

static void printDispatches(const BenchReport &report, const PlanReport &plan,
                            std::FILE *stream) {
  size_t width = 6;
  for (const DispatchTime &time : plan.times)
    width = std::max(width, time.cost.kernel.size());
  std::fprintf(stream, "\ndispatches of %s, each alone, back to back:\n",
               plan.name.c_str());
  std::fprintf(stream, "%3s %-*s %5s %10s %10s %10s %8s %8s %6s\n", "",
               static_cast<int>(width), "kernel", "layer", "time", "predicted",
               "bytes", "GB/s", "GF/s", "gap");
  double total = 0;
  for (size_t i = 0; i < plan.times.size(); ++i) {
    const DispatchTime &time = plan.times[i];
    const Cost &cost = time.cost.cost;
    std::string layer =
        time.cost.layer < 0 ? "-" : std::to_string(time.cost.layer);
    std::fprintf(stream, "%3zu %-*s %5s %10s %10s %10s %8.1f %8.0f %6s\n", i,
                 static_cast<int>(width), time.cost.kernel.c_str(),
                 layer.c_str(), formatSeconds(time.seconds).c_str(),
                 predictedText(time.cost.predicted).c_str(),
                 formatBytes(cost.bytes()).c_str(),
                 giga(cost.bytes(), time.seconds),
                 giga(cost.flops, time.seconds),
                 gapTo(report.peaks.floor(cost), time.seconds).c_str());
    total += time.seconds;
  }
  std::fprintf(stream, "    sum %s\n", formatSeconds(total).c_str());
}

static void printFailures(const PlanReport &plan, std::FILE *stream) {
  for (const auto *report : {&plan.verdict.reference, &plan.verdict.oracle})
    if (*report && !(*report)->passed())
      for (const ElementError &element : (*report)->listed)
        std::fprintf(stream,
                     "fails: %s: %s: expects %.9g, but got %.9g (%.3g of what "
                     "is allowed)\n",
                     plan.name.c_str(), element.output.c_str(),
                     element.reference, element.value, element.ratio);
}

void hk::tools::printReport(const BenchReport &report, std::FILE *stream) {
  std::fprintf(
      stream,
      "%s, %s, batch %lld: %lld calls after %lld, %lld "
      "rounds, seed %llu\n",
      report.module.c_str(), report.device.c_str(),
      static_cast<long long>(report.batch),
      static_cast<long long>(report.contract.rounds * report.contract.calls),
      static_cast<long long>(report.contract.warmup),
      static_cast<long long>(report.contract.rounds),
      static_cast<unsigned long long>(report.seed));
  for (const SkippedPlan &plan : report.skipped)
    std::fprintf(stream, "skipped %s: %s\n", plan.name.c_str(),
                 plan.reason.c_str());
  printContenders(report, stream);
  for (const PlanReport &plan : report.plans) {
    if (!plan.times.empty())
      printDispatches(report, plan, stream);
    printFailures(plan, stream);
  }
  if (!report.choice.empty())
    std::fputs(describeChoice(report.choice).c_str(), stream);
  const ContenderReport *best = nullptr;
  for (const ContenderReport &contender : report.contenders)
    if (report.plans[contender.plan].verdict.passed() &&
        (!best || contender.timing.median < best->timing.median))
      best = &contender;
  if (!best) {
    std::fprintf(stream, "%s: no plan passes\n", report.function.c_str());
    return;
  }
  const PlanReport &plan = report.plans[best->plan];
  std::fprintf(stream, "%s: %s, plan %s, %s, %s, %s\n", report.function.c_str(),
               formatSeconds(best->timing.median).c_str(), plan.name.c_str(),
               best->graph ? "graph" : "direct", plan.isa.c_str(),
               report.passed() ? plan.verdict.text().c_str()
                               : "another plan FAILED");
}
