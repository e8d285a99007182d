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
               {"dispatches", dispatches}};
  if (plan.verdict.unequalRuns)
    json["unequal_runs"] = *plan.verdict.unequalRuns;
  if (auto floor = peaks.floor(plan.cost))
    json["floor"] = *floor;
  return json;
}

std::string hk::tools::describeChoice(const std::string &json) {
  std::string text;
  Json report = Json::parse(json);
  for (const Json &tuning : report["tunings"])
    text += "chosen, " + tuning["launch"].get<std::string>() + ": " +
            tuning["plan"].get<std::string>() + ", " +
            tuning["reason"].get<std::string>() + "\n";
  return text.empty() ? "chosen: nothing was measured\n" : text;
}

std::string hk::tools::reportToJson(const BenchReport &report) {
  Json plans = Json::array(), times = Json::array(), skipped = Json::array();
  for (const PlanReport &plan : report.plans)
    plans.push_back(toJson(plan, report.peaks));
  for (const ContenderReport &contender : report.contenders) {
    const Timing &timing = contender.timing;
    times.push_back({{"plan", report.plans[contender.plan].name},
                     {"launch", contender.graph ? "graph" : "direct"},
                     {"calls", timing.repeats},
                     {"median", timing.median},
                     {"p10", timing.p10},
                     {"p90", timing.p90},
                     {"min", timing.min},
                     {"spread", timing.spread()}});
  }
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
               {"passed", report.passed()},
               {"plans", plans},
               {"times", times},
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
                     "median_us,p10_us,p90_us,min_us,bytes,flops,verdict\n";
  for (const ContenderReport &contender : report.contenders) {
    const PlanReport &plan = report.plans[contender.plan];
    const Timing &timing = contender.timing;
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
            quoted(plan.verdict.text()) + "\n";
  }
  return text;
}
