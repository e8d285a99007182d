// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/oracle_check.h"

#include "common/error.h"
#include "common/progress.h"
#include "common/random.h"
#include "common/timing.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

using namespace hk::tools;

std::vector<int64_t>
hk::tools::sampleSequences(const CheckOptions &options, int64_t batch,
                           const std::vector<int64_t> &validTokens) {
  std::vector<int64_t> sequences;
  if (options.all || batch <= options.samples) {
    sequences.resize(static_cast<size_t>(batch));
    std::iota(sequences.begin(), sequences.end(), 0);
    return sequences;
  }
  std::set<int64_t> chosen;
  auto choose = [&](int64_t sequence) {
    if (static_cast<int64_t>(chosen.size()) < options.samples)
      chosen.insert(sequence);
  };
  choose(0);
  choose(batch - 1);
  if (!validTokens.empty())
    choose(std::min_element(validTokens.begin(), validTokens.end()) -
           validTokens.begin());
  RandomStream stream(options.seed, "check");
  for (uint64_t i = 0; static_cast<int64_t>(chosen.size()) < options.samples;
       ++i)
    choose(static_cast<int64_t>(stream.below(i, static_cast<uint64_t>(batch))));
  return {chosen.begin(), chosen.end()};
}

/// Sequences of `source` as a tensor of the oracle's type.
static Tensor gather(const Tensor &source, const Signature &target,
                     const std::vector<int64_t> &sequences) {
  std::vector<int64_t> shape = source.shape();
  int64_t width = source.elementCount() / shape[0];
  shape[0] = static_cast<int64_t>(sequences.size());
  Tensor result(target.type, shape);
  size_t bytes = static_cast<size_t>(width) * byteWidth(source.type());
  for (size_t row = 0; row < sequences.size(); ++row) {
    int64_t from = sequences[row] * width;
    int64_t to = static_cast<int64_t>(row) * width;
    if (source.type() == target.type) {
      std::memcpy(result.as<char>() + row * bytes,
                  source.as<char>() + sequences[row] * bytes, bytes);
      continue;
    }
    for (int64_t i = 0; i < width; ++i)
      result.set(to + i, source.at(from + i));
  }
  return result;
}

static void requireMatchingSignature(const Function &function,
                                     const Function &oracle) {
  auto matches = [](const std::vector<Signature> &a,
                    const std::vector<Signature> &b) {
    if (a.size() != b.size())
      return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].shape.empty() || a[i].shape.size() != b[i].shape.size() ||
          !std::equal(a[i].shape.begin() + 1, a[i].shape.end(),
                      b[i].shape.begin() + 1) ||
          isFloat(a[i].type) != isFloat(b[i].type))
        return false;
    return true;
  };
  if (!matches(function.inputs, oracle.inputs) ||
      !matches(function.outputs, oracle.outputs))
    userError(
        std::string("expects an oracle with the inputs and outputs of '") +
        function.info.name + "', but got other ones in '" + oracle.info.name +
        "'");
}

CheckReport
hk::tools::checkAgainstOracle(hk_context *context, hk_module *module,
                              const hk_params *params, const Function &function,
                              const std::vector<Tensor> &inputs,
                              const std::vector<Tensor> &outputs, int64_t batch,
                              const CheckOptions &options) {
  if (function.info.oracle < 0)
    userError(std::string("expects a module with an fp64 oracle to check "
                          "against, but got none for '") +
              function.info.name + "'; compile with hk-compile --oracle");
  Stopwatch stopwatch;
  Function oracle =
      describeFunction(module, static_cast<uint32_t>(function.info.oracle));
  requireMatchingSignature(function, oracle);
  Session session(context, module, params, oracle.info.name, "");

  std::vector<int64_t> sequences =
      sampleSequences(options, batch, validTokens(function.inputs, inputs));
  CheckReport report;
  report.batch = batch;
  report.sequences = static_cast<int64_t>(sequences.size());
  // A few sequences a worker at a time: memory stays small, progress shows. An
  // oracle of a static batch takes that many, the last one over again if need
  // be.
  size_t chunk = 2 * size_t{hk_context_num_workers(context)};
  int64_t staticBatch =
      oracle.outputs.empty() ? -1 : oracle.outputs[0].shape[0];
  if (staticBatch > 0)
    chunk = static_cast<size_t>(staticBatch);
  Progress progress("checking sequences", report.sequences);
  for (size_t first = 0; first < sequences.size(); first += chunk) {
    size_t count = std::min(chunk, sequences.size() - first);
    std::vector<int64_t> part(sequences.begin() + first,
                              sequences.begin() + first + count);
    if (staticBatch > 0)
      part.resize(chunk, part.back());
    std::vector<Tensor> gathered;
    for (size_t i = 0; i < inputs.size(); ++i)
      gathered.push_back(gather(inputs[i], oracle.inputs[i], part));
    session.bind(oracle, gathered, static_cast<int64_t>(part.size()));
    session.run();
    for (size_t row = 0; row < count; ++row)
      for (size_t output = 0; output < outputs.size(); ++output)
        compareSequence(options.gate, output, outputs[output], part[row],
                        session.outputs()[output], static_cast<int64_t>(row),
                        report);
    progress.update(static_cast<int64_t>(first + count));
  }
  report.seconds = stopwatch.seconds();
  return report;
}
