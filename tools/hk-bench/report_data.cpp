// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hk-bench's report for programs: JSON and CSV.
#include "report.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace hk::tools;
using Json = nlohmann::ordered_json;

/// JSON has no infinity.
static Json number(double value) {
  if (!std::isfinite(value))
    return std::to_string(value);
  return value;
}

static Json toJson(const Cost &cost) {
  return {{"read", cost.read},
          {"written", cost.written},
          {"packed", cost.packed},
          {"flops", cost.flops}};
}

/// Seconds, or null where the cost model tells nothing.
static Json predictedOrNull(double seconds) {
  return seconds > 0 ? Json(seconds) : Json(nullptr);
}

static Json orNull(const std::optional<double> &value) {
  return value ? Json(*value) : Json(nullptr);
}

/// In microseconds; null where there is no GPU, or no core was its own.
static void addHostTime(Json &json, const std::string &prefix,
                        const std::optional<HostTime> &time) {
  auto add = [&](const char *suffix, const std::optional<double> &seconds) {
    json[prefix + suffix] = seconds ? Json(*seconds * 1e6) : Json(nullptr);
  };
  using Time = std::optional<double>;
  add("_us", time ? Time(time->idle.anywhere) : Time());
  add("_row_us", time ? Time(time->row.anywhere) : Time());
  add("_round_us", time ? Time(time->round.anywhere) : Time());
  add("_alone_us", time ? time->idle.alone : Time());
  add("_row_alone_us", time ? time->row.alone : Time());
  add("_round_alone_us", time ? time->round.alone : Time());
}

static Json kernelsToJson(const PlanReport &plan) {
  Json kernels = Json::array();
  for (const KernelVariants &kernel : kernelsOf(plan)) {
    Json variants = Json::array();
    for (size_t i = kernel.first; i < kernel.end; ++i) {
      const VariantTime &time = plan.variants[i];
      variants.push_back(
          {{"schedule", time.variant.schedule},
           {"seconds", time.seconds < 0 ? Json(nullptr) : Json(time.seconds)},
           {"predicted", predictedOrNull(time.variant.predicted)},
           {"terms", time.variant.terms},
           {"reason", time.reason}});
    }
    kernels.push_back(
        {{"kernel", plan.variants[kernel.first].variant.kernel},
         {"dispatch", plan.variants[kernel.first].variant.dispatch},
         {"best", kernel.best - kernel.first},
         {"first_is_within", !kernel.isWrong(plan)},
         {"variants", std::move(variants)}});
  }
  return kernels;
}

static Json toJson(const std::optional<GateReport> &report) {
  if (!report)
    return nullptr;
  Json failures = Json::array();
  for (const ElementError &element : report->listed)
    failures.push_back({{"where", element.output},
                        {"value", number(element.value)},
                        {"reference", number(element.reference)},
                        {"ratio", number(element.ratio)}});
  return {{"passed", report->passed()},
          {"compared", report->compared},
          {"failed", report->failed},
          {"max_error", number(report->maxError)},
          {"max_ratio", number(report->worst.ratio)},
          {"failures", failures}};
}

static Json toJson(const PlanReport &plan, const Peaks &peaks) {
  Json dispatches = Json::array();
  for (const DispatchTime &time : plan.times)
    dispatches.push_back({{"kernel", time.cost.kernel},
                          {"layer", time.cost.layer},
                          {"seconds", time.seconds},
                          {"predicted", predictedOrNull(time.cost.predicted)},
                          {"of_bandwidth",
                           orNull(peaks.shareOfBytes(time.cost.cost,
                                                     time.seconds))},
                          {"of_flops",
                           orNull(peaks.shareOfFlops(time.cost.cost,
                                                     time.seconds))},
                          {"cost", toJson(time.cost.cost)}});
  Json json = {{"name", plan.name},
               {"role", plan.role},
               {"rank", plan.rank},
               {"isa", plan.isa},
               {"launches", plan.dispatches},
               {"packed_bytes", plan.packedBytes},
               {"workspace_bytes", plan.workspaceBytes},
               {"cost", toJson(plan.cost)},
               {"predicted", predictedOrNull(plan.predicted)},
               {"passed", plan.verdict.passed()},
               {"verdict", plan.verdict.text()},
               {"against_reference", toJson(plan.verdict.reference)},
               {"against_oracle", toJson(plan.verdict.oracle)},
               {"unequal_runs", nullptr},
               {"runner_launch", nullptr},
               {"dispatches", dispatches},
               {"kernels", kernelsToJson(plan)},
               {"refused", plan.refusals}};
  addHostTime(json, "runner_host", plan.runnerHost);
  if (plan.runnerHost)
    json["runner_launch"] = plan.runnerReplays ? "graph" : "direct";
  if (plan.verdict.unequalRuns)
    json["unequal_runs"] = *plan.verdict.unequalRuns;
  if (auto floor = peaks.floor(plan.cost))
    json["floor"] = *floor;
  return json;
}

std::string hk::tools::mergeChoices(const std::string &first,
                                    const std::string &second) {
  if (first.empty() || second.empty())
    return first.empty() ? second : first;
  Json merged = Json::parse(first);
  Json other = Json::parse(second);
  for (Json &tuning : other["tunings"])
    merged["tunings"].push_back(std::move(tuning));
  return merged.dump();
}

/// "#hk.cuda<..>" of each kernel of a contender by another variant than in
/// `first`.
static std::string variantsOf(const Json &contender, const Json &first) {
  std::string text;
  for (const auto &[kernel, variant] : contender["variants"].items())
    if (first["variants"][kernel] != variant)
      text += "\n        " + kernel + ": " + variant.get<std::string>();
  return text;
}

std::string hk::tools::describeChoice(const std::string &json) {
  std::string text;
  Json report = Json::parse(json);
  char line[256];
  for (const Json &tuning : report["tunings"]) {
    const Json &time = tuning["choose_ms"];
    std::snprintf(line, sizeof line,
                  "; in %.0f ms (load %.0f, reference %.0f, compare %.0f, "
                  "measure %.0f)\n",
                  time["total"].get<double>(), time["load"].get<double>(),
                  time["reference"].get<double>(),
                  time["compare"].get<double>(), time["measure"].get<double>());
    text += "chosen, " + tuning["launch"].get<std::string>() + ": " +
            tuning["plan"].get<std::string>() + ", " +
            tuning["reason"].get<std::string>() + line;
    const Json *first = nullptr; // of the plan
    for (const Json &contender : tuning["contenders"]) {
      if (!first || (*first)["plan"] != contender["plan"])
        first = &contender;
      const Json &us = contender["microseconds"];
      std::snprintf(line, sizeof line, "    %10s  %-10s ",
                    us.is_null()
                        ? "-"
                        : formatSeconds(us.get<double>() * 1e-6).c_str(),
                    contender["verdict"].get<std::string>().c_str());
      text += line + contender["plan"].get<std::string>();
      const std::string reason = contender["reason"];
      text += (reason.empty() ? "" : ": " + reason) +
              variantsOf(contender, *first) + "\n";
    }
  }
  return text.empty() ? "chosen: nothing was measured\n" : text;
}

static Json toJson(const BenchReport &report, const FirstChoice &choice) {
  const ContenderReport &first = report.contenders[choice.first];
  const ContenderReport &best = report.contenders[choice.best];
  const double ratio = ratioOf(report, choice);
  return {{"launch", choice.graph ? "graph" : "direct"},
          {"plan", report.plans[first.plan].name},
          {"predicted", predictedOrNull(report.plans[first.plan].predicted)},
          {"seconds", first.timing.median},
          {"best", report.plans[best.plan].name},
          {"best_is_chosen", best.chosen},
          {"best_seconds", best.timing.median},
          {"ratio", ratio},
          {"within", ratio <= 1 + FirstChoice::kTolerance}};
}

std::string hk::tools::reportToJson(const BenchReport &report) {
  Json plans = Json::array(), times = Json::array(), skipped = Json::array();
  for (const PlanReport &plan : report.plans)
    plans.push_back(toJson(plan, report.peaks));
  for (const ContenderReport &contender : report.contenders) {
    const Timing &timing = contender.timing;
    const Cost &cost = report.plans[contender.plan].cost;
    times.push_back({{"plan", report.plans[contender.plan].name},
                     {"launch", contender.graph ? "graph" : "direct"},
                     {"chosen", contender.chosen},
                     {"calls", timing.repeats},
                     {"median", timing.median},
                     {"p10", timing.p10},
                     {"p90", timing.p90},
                     {"min", timing.min},
                     {"spread", timing.spread()},
                     {"of_bandwidth",
                      orNull(report.peaks.shareOfBytes(cost, timing.median))},
                     {"of_flops",
                      orNull(report.peaks.shareOfFlops(cost, timing.median))}});
    addHostTime(times.back(), "host", contender.host);
  }
  Json first = Json::array();
  for (const FirstChoice &choice : firstChoices(report))
    first.push_back(toJson(report, choice));
  for (const SkippedPlan &plan : report.skipped)
    skipped.push_back({{"plan", plan.name}, {"reason", plan.reason}});
  Json json = {{"module", report.module},
               {"function", report.function},
               {"device", report.device},
               {"threads", report.threads},
               {"batch", report.batch},
               {"seed", report.seed},
               {"warmup", report.contract.warmup},
               {"rounds", report.contract.rounds},
               {"calls", report.contract.calls},
               {"peak_bytes_per_second", report.peaks.bytesPerSecond},
               {"peak_flops_per_second", report.peaks.flopsPerSecond},
               {"passed", report.passed()},
               {"plans", plans},
               {"times", times},
               {"first_choice", first},
               {"skipped", skipped}};
  if (!report.choice.empty())
    json["choice"] = Json::parse(report.choice);
  // A broken module may name things in bytes that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A field in quotes, those inside it doubled.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string hk::tools::reportToCsv(const BenchReport &report) {
  std::string text = "module,function,device,batch,plan,launch,launches,"
                     "median_us,p10_us,p90_us,min_us,bytes,flops,chosen,"
                     "predicted_us,host_us,host_row_us,of_bandwidth,of_flops,"
                     "verdict\n";
  auto optional = [](const std::optional<double> &value) {
    char text[32] = "";
    if (value)
      std::snprintf(text, sizeof text, "%.4g", *value);
    return std::string(text);
  };
  for (const ContenderReport &contender : report.contenders) {
    const PlanReport &plan = report.plans[contender.plan];
    const Timing &timing = contender.timing;
    std::optional<double> idle, row;
    if (contender.host) {
      idle = contender.host->idle.anywhere * 1e6;
      row = contender.host->row.anywhere * 1e6;
    }
    char numbers[256];
    std::snprintf(
        numbers, sizeof numbers, "%s,%u,%.3f,%.3f,%.3f,%.3f,%llu,%llu",
        contender.graph ? "graph" : "direct", plan.dispatches,
        timing.median * 1e6, timing.p10 * 1e6, timing.p90 * 1e6,
        timing.min * 1e6, static_cast<unsigned long long>(plan.cost.bytes()),
        static_cast<unsigned long long>(plan.cost.flops));
    text += quoted(report.module) + "," + quoted(report.function) + "," +
            quoted(report.device) + "," + std::to_string(report.batch) + "," +
            quoted(plan.name) + "," + numbers + "," +
            (contender.chosen ? "1," : "0,") +
            optional(plan.predicted > 0 ? std::optional(plan.predicted * 1e6)
                                        : std::nullopt) +
            "," +
            optional(idle) + "," + optional(row) + "," +
            optional(report.peaks.shareOfBytes(plan.cost, timing.median)) +
            "," +
            optional(report.peaks.shareOfFlops(plan.cost, timing.median)) +
            "," +
            quoted(plan.verdict.text()) + "\n";
  }
  return text;
}
