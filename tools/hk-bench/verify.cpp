// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify.h"

#include "common/error.h"
#include "common/progress.h"

#include <cstring>

using namespace hk::tools;

static bool failed(const std::optional<GateReport> &report) {
  return report && !report->passed();
}

bool Verdict::passed() const {
  return !failed(reference) && !failed(oracle) && unequalRuns.value_or(0) == 0;
}

std::string Verdict::text() const {
  if (!reference && !oracle && !unequalRuns)
    return "not checked";
  std::string text;
  auto add = [&](const std::optional<GateReport> &report, const char *what) {
    if (failed(report))
      text += (text.empty() ? "FAILED: " : ", ") +
              std::to_string(report->failed) + " of " +
              std::to_string(report->compared) + " elements against the " +
              what;
  };
  add(reference, "reference plan");
  add(oracle, "oracle");
  if (unequalRuns.value_or(0) > 0)
    text += (text.empty() ? "FAILED: " : ", ") + std::to_string(*unequalRuns) +
            " runs differ from the first";
  return text.empty() ? "passed" : text;
}

/// An element that no kernel writes must not pass for a result.
static void poison(Session &session) {
  for (Tensor &output : session.outputs())
    std::memset(output.data(), 0xff, output.byteSize());
  session.uploadOutputs();
}

static void runFresh(Session &session, const Function &function,
                     const std::vector<Tensor> &inputs, int64_t batch) {
  session.bind(function, inputs, batch);
  poison(session);
  session.run();
  session.downloadOutputs();
}

/// Adds up what two comparisons found.
static void merge(std::optional<GateReport> &total, const GateReport &part) {
  if (!total) {
    total = part;
    return;
  }
  total->compared += part.compared;
  total->failed += part.failed;
  total->maxError = std::max(total->maxError, part.maxError);
  if (part.worst.ratio > total->worst.ratio)
    total->worst = part.worst;
  for (const ElementError &element : part.listed)
    if (total->listed.size() < GateReport::kMaxListed)
      total->listed.push_back(element);
}

static GateReport compareAll(const Gate &gate,
                             const std::vector<Tensor> &outputs,
                             const std::vector<Tensor> &references,
                             int64_t batch) {
  GateReport report;
  for (size_t i = 0; i < outputs.size(); ++i)
    for (int64_t sequence = 0; sequence < batch; ++sequence)
      compareSequence(gate, i, outputs[i], sequence, references[i], sequence,
                      report);
  return report;
}

void hk::tools::verifyPlans(hk_context *cpu, hk_module *module,
                            const hk_params *params, const Function &function,
                            PlanSet &set, const InputOptions &inputOptions,
                            const VerifyOptions &options,
                            std::vector<Verdict> &verdicts) {
  bool hasOracle = function.info.oracle >= 0;
  if (!hasOracle && !set.reference)
    userError(std::string("expects a reference plan that this device can run, "
                          "or an fp64 oracle, to check against, but got "
                          "neither for '") +
              function.info.name + "'; compile with hk-compile --oracle");
  Progress progress("checking", options.seeds * int64_t(set.plans.size()));
  int64_t done = 0;
  for (int64_t seed = 0; seed < options.seeds; ++seed) {
    InputOptions drawn = inputOptions;
    drawn.seed = options.firstSeed + static_cast<uint64_t>(seed);
    std::vector<Tensor> inputs = makeInputs(function.inputs, drawn);
    int64_t batch = inputs.empty() || inputs[0].shape().empty()
                        ? drawn.batch.value_or(1)
                        : inputs[0].shape()[0];
    if (set.reference)
      runFresh(*set.reference->session, function, inputs, batch);
    for (size_t i = 0; i < set.plans.size(); ++i) {
      Session &session = *set.plans[i].session;
      if (&set.plans[i] != set.reference) {
        runFresh(session, function, inputs, batch);
        if (set.reference)
          merge(verdicts[i].reference,
                compareAll(options.check.gate, session.outputs(),
                           set.reference->session->outputs(), batch));
      }
      if (hasOracle)
        merge(verdicts[i].oracle,
              checkAgainstOracle(cpu, module, params, function, inputs,
                                 session.outputs(), batch, options.check));
      progress.update(++done);
    }
  }
}

int64_t hk::tools::countUnequalRuns(Session &session, int64_t runs) {
  std::vector<std::string> first;
  int64_t unequal = 0;
  for (int64_t run = 0; run < runs; ++run) {
    poison(session);
    session.run();
    session.downloadOutputs();
    bool differs = false;
    std::vector<Tensor> &outputs = session.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (run == 0)
        first.emplace_back(outputs[i].as<char>(), outputs[i].byteSize());
      else
        differs |= std::memcmp(outputs[i].data(), first[i].data(),
                               first[i].size()) != 0;
    }
    unequal += differs;
  }
  return unequal;
}
