// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace hk::tools;

static void printElement(const char *label, const ElementError &element,
                         std::FILE *stream) {
  std::fprintf(stream,
               "%s %s: expects %.9g, but got %.9g (error %.3g, %.3g of what "
               "is allowed)\n",
               label, element.output.c_str(), element.reference, element.value,
               element.error, element.ratio);
}

static void printCheck(const CheckReport &check, std::FILE *stream) {
  for (const ElementError &element : check.listed)
    printElement("fails:  ", element, stream);
  if (check.failed > static_cast<int64_t>(check.listed.size()))
    std::fprintf(stream, "fails:   and %lld more elements\n",
                 static_cast<long long>(check.failed) -
                     static_cast<long long>(check.listed.size()));
  if (check.compared)
    printElement("worst:  ", check.worst, stream);
  std::fprintf(stream,
               "check:   %lld of %lld sequences, %lld elements, %lld failed, "
               "max |y - ref| %.3g, %s\n",
               static_cast<long long>(check.sequences),
               static_cast<long long>(check.batch),
               static_cast<long long>(check.compared),
               static_cast<long long>(check.failed), check.maxError,
               formatSeconds(check.seconds).c_str());
}

static const char *verdict(const std::optional<CheckReport> &check) {
  if (!check)
    return "not checked";
  if (!check->compared)
    return "check FAILED: expects elements to compare, but got none";
  return check->failed ? "check FAILED" : "check passed";
}

void hk::tools::printReport(const RunReport &report, std::FILE *stream) {
  const Timing &timing = report.timing;
  std::fprintf(stream, "module:  %s, loaded in %s, prepared in %s\n",
               report.module.c_str(), formatSeconds(report.loadSeconds).c_str(),
               formatSeconds(report.prepareSeconds).c_str());
  std::fprintf(stream,
               "memory:  %s of parameters, %s of workspace, batch %lld\n",
               formatBytes(report.packedBytes).c_str(),
               formatBytes(report.workspaceBytes).c_str(),
               static_cast<long long>(report.batch));
  if (timing.repeats > 1)
    std::fprintf(
        stream,
        "times:   median %s, p10 %s, p90 %s, min %s, spread %.1f %%, "
        "%lld runs after %lld\n",
        formatSeconds(timing.median).c_str(), formatSeconds(timing.p10).c_str(),
        formatSeconds(timing.p90).c_str(), formatSeconds(timing.min).c_str(),
        100 * timing.spread(), static_cast<long long>(timing.repeats),
        static_cast<long long>(timing.warmup));
  if (report.check)
    printCheck(*report.check, stream);
  std::string where = report.device;
  if (where.empty())
    where = std::to_string(report.threads) +
            (report.threads == 1 ? " thread" : " threads");
  std::fprintf(stream, "%s: %s, plan %s, %s, %s, %s\n", report.function.c_str(),
               formatSeconds(timing.median).c_str(), report.plan.c_str(),
               report.isa.c_str(), where.c_str(), verdict(report.check));
}

/// JSON has no infinity.
static nlohmann::ordered_json number(double value) {
  if (!std::isfinite(value))
    return std::to_string(value);
  return value;
}

static nlohmann::ordered_json toJson(const ElementError &element) {
  return {{"where", element.output},
          {"value", number(element.value)},
          {"reference", number(element.reference)},
          {"error", number(element.error)},
          {"ratio", number(element.ratio)}};
}

std::string hk::tools::reportToJson(const RunReport &report) {
  const Timing &timing = report.timing;
  nlohmann::ordered_json json = {
      {"module", report.module},
      {"function", report.function},
      {"plan", report.plan},
      {"plan_rank", report.planRank},
      {"isa", report.isa},
      {"device", report.device.empty() ? "CPU" : report.device},
      {"threads", report.threads},
      {"dispatches", report.dispatches},
      {"batch", report.batch},
      {"packed_bytes", report.packedBytes},
      {"workspace_bytes", report.workspaceBytes},
      {"load_seconds", report.loadSeconds},
      {"prepare_seconds", report.prepareSeconds},
      {"seconds",
       {{"warmup", timing.warmup},
        {"repeats", timing.repeats},
        {"median", timing.median},
        {"p10", timing.p10},
        {"p90", timing.p90},
        {"min", timing.min},
        {"spread", timing.spread()}}}};
  if (report.check) {
    const CheckReport &check = *report.check;
    nlohmann::ordered_json fails = nlohmann::ordered_json::array();
    for (const ElementError &element : check.listed)
      fails.push_back(toJson(element));
    json["check"] = {{"passed", check.passed()},
                     {"sequences", check.sequences},
                     {"compared", check.compared},
                     {"failed", check.failed},
                     {"max_error", number(check.maxError)},
                     {"worst", toJson(check.worst)},
                     {"failures", fails}};
  }
  // A broken module may name things in bytes that are no UTF-8.
  return json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

static const char *roleName(hk_role role) {
  switch (role) {
  case HK_ROLE_CANDIDATE:
    return "candidate";
  case HK_ROLE_SAFE:
    return "safe";
  case HK_ROLE_REFERENCE:
    return "reference";
  case HK_ROLE_ORACLE:
    return "oracle";
  }
  return "unknown";
}

/// A value without a name goes by its number.
static void printValues(const char *kind,
                        const std::vector<Signature> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    std::printf("  %s %s: %s\n", kind,
                values[i].name.empty() ? std::to_string(i).c_str()
                                       : values[i].name.c_str(),
                formatType(values[i].type, values[i].shape).c_str());
}

void hk::tools::printModule(const hk_module *module, const std::string &path) {
  hk_status status = {};
  std::printf("%s: %s, %u parameters, %u remarks\n", path.c_str(),
              hk_module_producer(module), hk_module_num_parameters(module),
              hk_module_num_remarks(module));
  for (uint32_t i = 0; i < hk_module_num_functions(module); ++i) {
    Function function = describeFunction(module, i);
    std::printf("function %s\n", function.info.name);
    printValues("input", function.inputs);
    printValues("output", function.outputs);
    for (uint32_t p = 0; p < function.info.num_plans; ++p) {
      hk_plan_info plan = {};
      check(hk_module_plan(module, i, p, &plan, &status), status);
      std::printf("  plan %s: rank %u, %s, %u dispatches\n", plan.name,
                  plan.rank, roleName(plan.role), plan.num_dispatches);
    }
    if (function.info.oracle >= 0)
      std::printf(
          "  oracle %s\n",
          describeFunction(module, static_cast<uint32_t>(function.info.oracle))
              .info.name);
  }
}
