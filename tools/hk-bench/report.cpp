// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <algorithm>

using namespace hk::tools;

bool BenchReport::passed() const {
  return std::all_of(plans.begin(), plans.end(), [](const PlanReport &plan) {
    return plan.verdict.passed();
  });
}

std::string hk::tools::gapTo(const std::optional<double> &floor,
                             double seconds) {
  if (!floor || *floor <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", seconds / *floor);
  return text;
}

std::string hk::tools::shareText(const std::optional<double> &share) {
  if (!share)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * *share);
  return text;
}

std::string hk::tools::predictedText(double seconds) {
  return seconds > 0 ? formatSeconds(seconds) : "-";
}

double hk::tools::giga(uint64_t amount, double seconds) {
  return seconds > 0 ? static_cast<double>(amount) / seconds * 1e-9 : 0;
}

static std::string labelOf(const BenchReport &report,
                           const ContenderReport &contender) {
  const std::string &name = report.plans[contender.plan].name;
  return contender.chosen ? "chosen: " + name : name;
}

static std::string secondsOrDash(const std::optional<double> &seconds) {
  return seconds ? formatSeconds(*seconds) : "-";
}

static void printContenders(const BenchReport &report, std::FILE *stream) {
  size_t longest = 4;
  for (const ContenderReport &contender : report.contenders)
    longest = std::max(longest, labelOf(report, contender).size());
  const int width = static_cast<int>(longest);
  std::fprintf(stream,
               "%-*s %-6s %8s %10s %10s %10s %10s %10s %8s %8s %8s %5s %8s "
               "%5s %6s  %s\n",
               width, "plan", "launch", "launches", "median", "p10", "p90",
               "min", "predicted", "host", "in row", "GB/s", "peak", "GF/s",
               "peak", "gap", "verdict");
  for (const ContenderReport &contender : report.contenders) {
    const PlanReport &plan = report.plans[contender.plan];
    const Timing &timing = contender.timing;
    const Peaks &peaks = report.peaks;
    std::fprintf(
        stream,
        "%-*s %-6s %8u %10s %10s %10s %10s %10s %8s %8s %8.1f %5s %8.0f %5s "
        "%6s  %s\n",
        width, labelOf(report, contender).c_str(),
        contender.graph ? "graph" : "direct", plan.dispatches,
        formatSeconds(timing.median).c_str(), formatSeconds(timing.p10).c_str(),
        formatSeconds(timing.p90).c_str(), formatSeconds(timing.min).c_str(),
        predictedText(plan.predicted).c_str(),
        contender.host ? formatSeconds(contender.host->idle.anywhere).c_str()
                       : "-",
        contender.host ? formatSeconds(contender.host->row.anywhere).c_str()
                       : "-",
        giga(plan.cost.bytes(), timing.median),
        shareText(peaks.shareOfBytes(plan.cost, timing.median)).c_str(),
        giga(plan.cost.flops, timing.median),
        shareText(peaks.shareOfFlops(plan.cost, timing.median)).c_str(),
        gapTo(peaks.floor(plan.cost), timing.median).c_str(),
        plan.verdict.text().c_str());
  }
  for (const PlanReport &plan : report.plans)
    if (plan.runnerHost)
      std::fprintf(stream,
                   "runner of %s: launches %s, host %s, in row %s, in rounds "
                   "%s; with a core of its own %s, %s, %s\n",
                   plan.name.c_str(),
                   plan.runnerReplays ? "a graph" : "directly",
                   formatSeconds(plan.runnerHost->idle.anywhere).c_str(),
                   formatSeconds(plan.runnerHost->row.anywhere).c_str(),
                   formatSeconds(plan.runnerHost->round.anywhere).c_str(),
                   secondsOrDash(plan.runnerHost->idle.alone).c_str(),
                   secondsOrDash(plan.runnerHost->row.alone).c_str(),
                   secondsOrDash(plan.runnerHost->round.alone).c_str());
}

static void printFirstChoices(const BenchReport &report, std::FILE *stream) {
  for (const FirstChoice &choice : firstChoices(report)) {
    const ContenderReport &first = report.contenders[choice.first];
    const ContenderReport &best = report.contenders[choice.best];
    const double ratio = ratioOf(report, choice);
    std::fprintf(stream,
                 "first choice, %s: %s, %s (predicted %s), the best %s, %s: "
                 "%.2f, %s 15 %%\n",
                 choice.graph ? "graph" : "direct",
                 labelOf(report, first).c_str(),
                 formatSeconds(first.timing.median).c_str(),
                 predictedText(report.plans[first.plan].predicted).c_str(),
                 labelOf(report, best).c_str(),
                 formatSeconds(best.timing.median).c_str(), ratio,
                 ratio <= 1 + FirstChoice::kTolerance ? "within"
                                                      : "NOT within");
  }
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
    if (!plan.variants.empty())
      printVariants(plan, stream);
    printFailures(plan, stream);
  }
  if (!report.choice.empty())
    std::fputs(describeChoice(report.choice).c_str(), stream);
  printFirstChoices(report, stream);
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
               formatSeconds(best->timing.median).c_str(),
               labelOf(report, *best).c_str(),
               best->graph ? "graph" : "direct", plan.isa.c_str(),
               report.passed() ? plan.verdict.text().c_str()
                               : "another plan FAILED");
}
