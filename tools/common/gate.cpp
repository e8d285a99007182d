// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/gate.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace hk::tools;

static ElementError judge(const Gate &gate, double value, double reference) {
  ElementError result;
  result.value = value;
  result.reference = reference;
  double infinity = std::numeric_limits<double>::infinity();
  result.error = std::isfinite(value) ? std::fabs(value - reference) : infinity;
  double allowed = std::max(gate.atol, gate.rtol * std::fabs(reference));
  if (result.error == 0)
    result.ratio = 0;
  else
    result.ratio = allowed > 0 ? result.error / allowed : infinity;
  return result;
}

void hk::tools::compareSequence(const Gate &gate, size_t outputIndex,
                                const Tensor &output, int64_t sequence,
                                const Tensor &reference,
                                int64_t referenceSequence, GateReport &report) {
  int64_t width = output.elementCount() / output.shape()[0];
  auto place = [&](int64_t i) {
    return "output " + std::to_string(outputIndex) + " at " +
           formatIndex(sequence * width + i, output.shape());
  };
  for (int64_t i = 0; i < width; ++i) {
    double expected = reference.at(referenceSequence * width + i);
    if (!std::isfinite(expected))
      userError("expects a finite reference, but got " +
                std::to_string(expected) + " for " + place(i) +
                "; the inputs or the parameters are not finite there");
    ElementError element =
        judge(gate, output.at(sequence * width + i), expected);
    ++report.compared;
    report.maxError = std::max(report.maxError, element.error);
    bool fails = element.ratio > 1,
         isWorst = element.ratio > report.worst.ratio;
    bool isListed = fails && report.listed.size() < GateReport::kMaxListed;
    report.failed += fails;
    if (isWorst || isListed)
      element.output = place(i);
    if (isListed)
      report.listed.push_back(element);
    if (isWorst)
      report.worst = element;
  }
}
