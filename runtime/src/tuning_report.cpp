// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuning_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace hk {
namespace {

using Json = nlohmann::ordered_json;

const char *name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Passed:
    return "passed";
  case Verdict::Inaccurate:
    return "inaccurate";
  case Verdict::Slower:
    return "slower";
  case Verdict::Failed:
    return "failed";
  }
  return "unknown";
}

/// The variant's schedule, or where it has none its instruction set; and which
/// way it is run, where there are several.
std::string nameOf(const Device &device, const ChosenVariant &chosen) {
  const schema::Variant &variant = *chosen.variant;
  const std::string_view schedule = view(variant.schedule());
  // Whole: schedules of a kernel begin alike.
  const std::string name =
      printable(schedule.empty() ? view(variant.isa()) : schedule, 400);
  return device.algorithms(variant) > 1
             ? concat(name, " algorithm ", chosen.algorithm)
             : name;
}

/// Calls body(executable's name, variant's name) for executables of a plan with
/// several useful variants.
template <typename Body>
void forEachChoice(const Device &device, const schema::Module &module,
                   const VariantChoice &variants, Body body) {
  for (uint32_t i = 0; i < variants.size(); ++i) {
    const schema::Executable &executable = *module.executables()->Get(i);
    if (variants[i] && usefulVariants(device, executable).size() > 1)
      body(printable(view(executable.name())), nameOf(device, variants[i]));
  }
}

Json toJson(const Device &device, const schema::Module &module,
            const Contender &contender) {
  Json variants = Json::object();
  forEachChoice(device, module, contender.variants,
                [&](const std::string &kernel, const std::string &variant) {
                  variants[kernel] = variant;
                });
  Json out = {
      {"plan", view(contender.plan->name())},
      {"role", schema::EnumNameRole(contender.plan->role())},
      {"rank", contender.plan->rank()},
      {"dispatches", contender.plan->dispatches()->size()},
      {"variants", std::move(variants)},
      {"verdict", name(contender.verdict)},
      {"reason", contender.reason},
      {"microseconds", nullptr},
      {"max_error", nullptr},
  };
  if (contender.milliseconds >= 0)
    out["microseconds"] = 1000 * contender.milliseconds;
  if (contender.verdict == Verdict::Passed ||
      contender.verdict == Verdict::Inaccurate)
    out["max_error"] = contender.maxError;
  return out;
}

} // namespace

std::string microseconds(double milliseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f us", 1000 * milliseconds);
  return text;
}

std::string nameOf(const Device &device, const schema::Module &module,
                   const schema::Plan &plan, const VariantChoice &variants) {
  std::string list;
  forEachChoice(device, module, variants,
                [&](const std::string &kernel, const std::string &variant) {
                  list += concat(list.empty() ? " (" : ", ", "kernel '", kernel,
                                 "': ", variant);
                });
  return concat("'", printable(view(plan.name())), "'", list,
                list.empty() ? "" : ")");
}

std::string tuningsToJson(const Device &device, const schema::Module &module,
                          const schema::Function &function,
                          const std::vector<Tuning> &tunings) {
  Json list = Json::array();
  for (const Tuning &tuning : tunings) {
    Json contenders = Json::array();
    for (const Contender &contender : tuning.contenders)
      contenders.push_back(toJson(device, module, contender));
    list.push_back(
        {{"batch", tuning.batch},
         {"launch", tuning.mode == HK_LAUNCH_GRAPH ? "graph" : "direct"},
         {"plan", view(tuning.chosen->plan().name())},
         {"reason", tuning.reason},
         {"choose_ms",
          {{"total", tuning.time.total},
           {"load", tuning.time.load},
           {"reference", tuning.time.reference},
           {"compare", tuning.time.compare},
           {"measure", tuning.time.measure}}},
         {"contenders", std::move(contenders)}});
  }
  const Json out = {{"function", view(function.name())},
                    {"device", device.capability()},
                    {"tunings", std::move(list)}};
  // Text of the file need not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace hk
